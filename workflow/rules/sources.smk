# RULES: the folder of the other rules. Where Snakemake reads this file from a Git host (`github(...)`), it is in a
# checkout of the same commit next to Snakemake's clone: rules need the library, studies and schemas as local files.
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from snakemake.sourcecache import HostingProviderFile

RULES = "rules"
if isinstance(workflow.current_basedir, HostingProviderFile):
    clone = workflow.current_basedir.hosted_repo.repo
    commit = clone.commit(workflow.current_basedir.ref).hexsha
    checkout = Path(f"{clone.git_dir}-{commit}")
    if not checkout.is_dir():
        # Under another name first, since another process may do the same.
        made = Path(mkdtemp(prefix=f"{checkout.name}.", dir=checkout.parent))
        clone.git.clone("--shared", "--no-checkout", clone.git_dir, made)
        clone.git(C=made).sparse_checkout(
            "set", "workflow", "src", "config", "papers", "comparisons", "envs"
        )
        clone.git(C=made).checkout("--detach", commit)
        try:
            made.rename(checkout)
        except OSError:
            rmtree(made)
    RULES = checkout / "workflow" / "rules"
