"""What is shown to people: pictures and tables made from finished runs."""
