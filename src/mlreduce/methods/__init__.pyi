from mlreduce.methods.description import Description as Description
from mlreduce.methods.facts import Facts as Facts
from mlreduce.methods.recommendation import Recommendation as Recommendation
from mlreduce.methods.table import MethodList as MethodList
