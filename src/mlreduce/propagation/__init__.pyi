from .base import LabelPropagation as LabelPropagation
from .ml_grf import MLGRF as MLGRF
from .ml_grf import MLLGC as MLLGC
from .smse import SMSE1 as SMSE1
from .smse import SMSE2 as SMSE2
