"""What trained perceptrons hold inside: their units, what can be read off their layers, their filters, mixtures."""
