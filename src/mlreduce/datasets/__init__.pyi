from .catalogue import list_datasets as list_datasets
from .catalogue import load_dataset as load_dataset
from .catalogue import read_catalogue as read_catalogue
from .data import MultiLabelData as MultiLabelData
from .reading import read as read
