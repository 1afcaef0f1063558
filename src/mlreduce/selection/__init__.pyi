# Written by envs/write_stubs.py.

from mlreduce.selection.controls import AllFeatures as AllFeatures
from mlreduce.selection.qpfs import ApproximateQPFS as ApproximateQPFS
from mlreduce.selection.conditional import CMIM as CMIM
from mlreduce.selection.conditional import D2F as D2F
from mlreduce.selection.relevance import FIMF as FIMF
from mlreduce.selection.gmba import GMBA as GMBA
from mlreduce.selection.relevance import IGMF as IGMF
from mlreduce.selection.conditional import JMI as JMI
from mlreduce.selection.label_pairs import LRFS as LRFS
from mlreduce.selection.label_pairs import LSMFS as LSMFS
from mlreduce.selection.conditional import MDMR as MDMR
from mlreduce.selection.relevance import MIM as MIM
from mlreduce.selection.f_statistic import MLFS as MLFS
from mlreduce.selection.relief import MLRF as MLRF
from mlreduce.selection.label_pairs import MLSMFS as MLSMFS
from mlreduce.selection.redundancy import MRMR as MRMR
from mlreduce.selection.qpfs import NystromQPFS as NystromQPFS
from mlreduce.selection.pmu import PMU as PMU
from mlreduce.selection.label_sets import PPTChi2 as PPTChi2
from mlreduce.selection.label_sets import PPTMI as PPTMI
from mlreduce.selection.qpfs import QPFS as QPFS
from mlreduce.selection.rfs import RFS as RFS
from mlreduce.selection.controls import RandomFeatures as RandomFeatures
from mlreduce.selection.redundancy import SCLS as SCLS
from mlreduce.selection.spectral import SPEC as SPEC
from mlreduce.selection.base import Selector as Selector
