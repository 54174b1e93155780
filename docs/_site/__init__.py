"""What this site adds to Sphinx: links to files outside of docs/, Markdown copies of the pages, llms.txt."""
