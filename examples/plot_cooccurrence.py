"""
Which labels occur together
===========================

Labels of handwritten digits: attributes of the digit that is written.
"""

import mlreduce

data = mlreduce.load_dataset("digits")
mlreduce.plot.label_cooccurrence(data.Y, label_names=data.label_names)
