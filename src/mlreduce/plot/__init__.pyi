from mlreduce.plot.comparisons import comparison_matrix as comparison_matrix
from mlreduce.plot.comparisons import critical_differences as critical_differences
from mlreduce.plot.comparisons import quality_against_size as quality_against_size
from mlreduce.plot.labels import label_cooccurrence as label_cooccurrence
from mlreduce.plot.labels import label_map as label_map
from mlreduce.plot.spectra import spectrum as spectrum
from mlreduce.plot.trees import model_tree as model_tree
