from .description import Description as Description
from .facts import Facts as Facts
from .recommendation import Recommendation as Recommendation
