"""Read a data set from its files, check it against the catalogue, and write it as arrays."""

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.files import replacing

    dataset = read_catalogue(snakemake.config.get("datasets"))[snakemake.wildcards.dataset]
    data = dataset.read(dataset.copies(snakemake.input[0]) if snakemake.input else [])
    with replacing(snakemake.output[0]) as path:
        data.save(path)
