"""Weka's M5P, where Java and Weka are installed: what our model trees are compared with in tests and benchmarks."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np


def find_weka():
    """Return the path of weka.jar, or None."""
    for candidate in (os.environ.get("MLREDUCE_WEKA"), "/usr/share/java/weka.jar"):
        if candidate and Path(candidate).is_file():
            return Path(candidate).resolve()
    return None


def what_is_missing():
    """Return a sentence that says what to install, or None where Weka can be used."""
    try:
        import jpype

        jpype.getDefaultJVMPath()
    except ImportError:
        return "needs JPype: pip install JPype1"
    except jpype.JVMNotFoundException:
        return "needs Java: install a Java runtime (Debian: apt-get install default-jre-headless)"
    if find_weka() is None:
        return "needs Weka 3.6: set MLREDUCE_WEKA to weka.jar (Debian: apt-get install weka)"
    return None


def _java(name):
    """Return a class of Weka's; the first call starts the virtual machine."""
    import jpype

    if not jpype.isJVMStarted():
        jar = find_weka()
        path = [str(jar), str(jar.parent / "*")]
        jpype.startJVM("-Xmx6g", "-Xss64m", "-Djava.awt.headless=true", classpath=path, convertStrings=False)
    return jpype.JClass(f"weka.{name}")


class Table:
    """Features as Weka holds them, with room for a target."""

    def __init__(self, X):
        import jpype

        X = np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        attribute, instance = _java("core.Attribute"), _java("core.Instance")
        attributes = _java("core.FastVector")(X.shape[1] + 1)
        for column in range(X.shape[1]):
            attributes.addElement(attribute(f"x{column}"))
        attributes.addElement(attribute("y"))
        self.instances = _java("core.Instances")("table", attributes, len(X))
        self.instances.setClassIndex(X.shape[1])
        doubles = jpype.JArray(jpype.JDouble)
        for row in X:
            self.instances.add(instance(1.0, doubles(np.append(row, 0.0))))

    def __len__(self):
        return self.instances.numInstances()

    def set_target(self, y):
        for row, value in enumerate(y):
            self.instances.instance(row).setClassValue(float(value))


class M5P:
    """Weka's model tree with its defaults; notes the seconds that it took and its leaves."""

    def fit(self, table, y):
        table.set_target(y)
        self._tree = _java("classifiers.trees.M5P")()
        start = time.perf_counter()
        self._tree.buildClassifier(table.instances)
        self.seconds_ = time.perf_counter() - start
        self.n_leaves_ = int(self._tree.measureNumRules())
        return self

    def predict(self, table):
        return np.array([self._tree.classifyInstance(table.instances.instance(row)) for row in range(len(table))])
