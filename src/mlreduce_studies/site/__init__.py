"""The results of runs as a site: static pages that open from the file system, without a network."""
