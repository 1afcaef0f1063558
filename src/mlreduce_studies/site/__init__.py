"""The results of runs as a site: static pages that open from the file system, without a network."""

#: File of a run's folder with what `mlreduce_studies.site.description.describe_study` says of its studies.
DESCRIPTION = "studies.json"
