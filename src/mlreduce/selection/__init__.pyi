# Written by envs/write_stubs.py.

from mlreduce.selection.controls import AllFeatures as AllFeatures
from mlreduce.selection.qpfs import ApproximateQPFS as ApproximateQPFS
from mlreduce.selection.gmba import GMBA as GMBA
from mlreduce.selection.f_statistic import MLFS as MLFS
from mlreduce.selection.relief import MLRF as MLRF
from mlreduce.selection.qpfs import NystromQPFS as NystromQPFS
from mlreduce.selection.pmu import PMU as PMU
from mlreduce.selection.qpfs import QPFS as QPFS
from mlreduce.selection.rfs import RFS as RFS
from mlreduce.selection.controls import RandomFeatures as RandomFeatures
from mlreduce.selection.spectral import SPEC as SPEC
from mlreduce.selection.base import Selector as Selector
