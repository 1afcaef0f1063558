# Written by envs/write_stubs.py.

from mlreduce.embedding.base import Embedding as Embedding
from mlreduce.embedding.scaling import Isomap as Isomap
from mlreduce.embedding.lle import LLE as LLE
from mlreduce.embedding.graph import LaplacianEigenmaps as LaplacianEigenmaps
from mlreduce.embedding.scaling import MDS as MDS
from mlreduce.embedding.mope import MOPEEmbedding as MOPEEmbedding
from mlreduce.embedding.slvm import SLVM as SLVM
from mlreduce.embedding.graph import SymmetricSpectralEmbedding as SymmetricSpectralEmbedding
from mlreduce.embedding.graph import USC as USC
