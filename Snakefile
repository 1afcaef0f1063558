# The map: configuration, stations, a target per paper. Stations, in the order of the road:
# fetch -> prepare -> factorise, split -> (choose) -> reduce -> predict -> gather -> table, figure -> audit -> page
from snakemake.utils import min_version

min_version("9.19")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/functions/settings.smk"
include: "workflow/functions/jobs.smk"
include: "workflow/functions/results.smk"
include: "workflow/functions/needs.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/label_space.smk"
include: "workflow/rules/feature_space.smk"
include: "workflow/rules/outputs.smk"


localrules:
    all,
    crates,
    cplst,
    cplst_table3,
    cplst_table4,
    cplst_table5,
    cplst_figure1,
    cplst_audit,
    cplst_crate,
    gmba,
    gmba_tables,
    gmba_figures,
    gmba_audit,
    gmba_crate,
    mope,
    mope_tables,
    mope_figures,
    mope_audit,
    mope_crate,
    mvmd,
    mvmd_tables,
    mvmd_figures,
    mvmd_audit,
    mvmd_crate,
    qpfs,
    qpfs_tables,
    qpfs_figures,
    qpfs_audit,
    qpfs_crate,


rule all:
    default_target: True
    input:
        f"{BASE}/report.html",


# Each finished study as a research object, to deposit or pass on
rule crates:
    input:
        expand(f"{BASE}/{{study}}.crate.zip", study=STUDIES),


# cplst-2012: label-space reduction with linear regression, model trees and kernel ridge regression
rule cplst:
    input:
        outputs_of("cplst-2012"),


rule cplst_table3:
    input:
        f"{BASE}/cplst-2012/table3.csv",
        f"{BASE}/cplst-2012/table3.md",


rule cplst_table4:
    input:
        f"{BASE}/cplst-2012/table4.csv",
        f"{BASE}/cplst-2012/table4.md",


rule cplst_table5:
    input:
        f"{BASE}/cplst-2012/table5.csv",
        f"{BASE}/cplst-2012/table5.md",


rule cplst_figure1:
    input:
        figure_files("cplst-2012"),


rule cplst_audit:
    input:
        f"{BASE}/cplst-2012/audit.md",


rule cplst_crate:
    input:
        f"{BASE}/cplst-2012.crate.zip",


# gmba-2016: feature selection on the graph of the labels, with nearest-neighbour classifiers
rule gmba:
    input:
        outputs_of("gmba-2016"),


rule gmba_tables:
    input:
        table_files("gmba-2016"),


rule gmba_figures:
    input:
        figure_files("gmba-2016"),


rule gmba_audit:
    input:
        f"{BASE}/gmba-2016/audit.md",


rule gmba_crate:
    input:
        f"{BASE}/gmba-2016.crate.zip",


# mope-mesd-2012: spectral embeddings of relations to training rows, with Fisher's discriminant a label
rule mope:
    input:
        outputs_of("mope-mesd-2012"),


rule mope_tables:
    input:
        table_files("mope-mesd-2012"),


rule mope_figures:
    input:
        figure_files("mope-mesd-2012"),


rule mope_audit:
    input:
        f"{BASE}/mope-mesd-2012/audit.md",


rule mope_crate:
    input:
        f"{BASE}/mope-mesd-2012.crate.zip",


# mvmd-2016: projections of the feature space with ridge regression
rule mvmd:
    input:
        outputs_of("mvmd-2016"),


rule mvmd_tables:
    input:
        table_files("mvmd-2016"),


rule mvmd_figures:
    input:
        figure_files("mvmd-2016"),


rule mvmd_audit:
    input:
        f"{BASE}/mvmd-2016/audit.md",


rule mvmd_crate:
    input:
        f"{BASE}/mvmd-2016.crate.zip",


# qpfs-lowrank-2016: feature selection by mutual information, with ML-KNN and naive Bayes
rule qpfs:
    input:
        outputs_of("qpfs-lowrank-2016"),


rule qpfs_tables:
    input:
        table_files("qpfs-lowrank-2016"),


rule qpfs_figures:
    input:
        figure_files("qpfs-lowrank-2016"),


rule qpfs_audit:
    input:
        f"{BASE}/qpfs-lowrank-2016/audit.md",


rule qpfs_crate:
    input:
        f"{BASE}/qpfs-lowrank-2016.crate.zip",
