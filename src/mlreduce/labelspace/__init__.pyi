# Written by envs/write_stubs.py.

from mlreduce.labelspace.br import BR as BR
from mlreduce.labelspace.cca_code import CCACode as CCACode
from mlreduce.labelspace.cplst import CPLST as CPLST
from mlreduce.labelspace.cssp import CSSP as CSSP
from mlreduce.labelspace.classifier import CodedClassifier as CodedClassifier
from mlreduce.labelspace.compressed_sensing import CompressedSensing as CompressedSensing
from mlreduce.labelspace.faie import FaIE as FaIE
from mlreduce.labelspace.factors import FactorCoder as FactorCoder
from mlreduce.labelspace.kernel_cplst import KernelCPLST as KernelCPLST
from mlreduce.labelspace.base import LabelCoder as LabelCoder
from mlreduce.labelspace.base import LabelStatistics as LabelStatistics
from mlreduce.labelspace.bmad import MLCBMaD as MLCBMaD
from mlreduce.labelspace.occa import OCCA as OCCA
from mlreduce.labelspace.pbr import PBR as PBR
from mlreduce.labelspace.plst import PLST as PLST
