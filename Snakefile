# The workflow is workflow/Snakefile. An include sets no default target, so it is set here.
include: "workflow/Snakefile"


workflow.default_target = rules.all.rule.name
