# Written by envs/write_stubs.py.

from mlreduce.predictors.neighbours import BinaryRelevanceKNN as BinaryRelevanceKNN
from mlreduce.predictors.neighbours import ClassifierChainKNN as ClassifierChainKNN
from mlreduce.predictors.fisher import FisherClassifier as FisherClassifier
from mlreduce.predictors.kernel_ridge import KernelRidgeRegressor as KernelRidgeRegressor
from mlreduce.predictors.leml import LEML as LEML
from mlreduce.predictors.linear import LinearRegressor as LinearRegressor
from mlreduce.predictors.m5p import M5PRegressor as M5PRegressor
from mlreduce.predictors.ml_knn import MLKNN as MLKNN
from mlreduce.predictors.naive_bayes import MLNB as MLNB
from mlreduce.predictors.majority import MajorityLabels as MajorityLabels
from mlreduce.predictors.proportional_cut import ProportionalCut as ProportionalCut
from mlreduce.predictors.ridge import RidgeRegressor as RidgeRegressor
from mlreduce.predictors.sleec import SLEEC as SLEEC
