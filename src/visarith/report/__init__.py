"""What the stored runs and results say, as tables, figures and a page; a report never trains."""
