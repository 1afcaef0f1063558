from mlreduce.propagation.base import LabelPropagation as LabelPropagation
from mlreduce.propagation.ml_grf import MLGRF as MLGRF
from mlreduce.propagation.ml_grf import MLLGC as MLLGC
from mlreduce.propagation.smse import SMSE1 as SMSE1
from mlreduce.propagation.smse import SMSE2 as SMSE2
