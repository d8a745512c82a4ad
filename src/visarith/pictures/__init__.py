"""How symbols become pixels: pages, typefaces and what may corrupt a picture."""
