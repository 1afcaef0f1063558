from .comparisons import comparison_matrix as comparison_matrix
from .comparisons import critical_differences as critical_differences
from .comparisons import quality_against_size as quality_against_size
from .features import features as features
from .labels import label_cooccurrence as label_cooccurrence
from .labels import label_map as label_map
from .spectra import spectrum as spectrum
from .trees import model_tree as model_tree
