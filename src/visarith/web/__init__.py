"""The page: a server with an HTTP API and a calculator in the browser, over weights that are shipped."""
