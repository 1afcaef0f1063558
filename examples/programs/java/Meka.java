// Predict labels by a classifier of MEKA, such as
//   java -cp classes:weka.jar:jama.jar Meka.java meka.classifiers.multilabel.CC -S 0 -W weka.classifiers.lazy.IBk -- -K 3

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import meka.classifiers.multilabel.MultiLabelClassifier;
import weka.classifiers.AbstractClassifier;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instance;
import weka.core.Instances;

public class Meka {
    static double[][] read(String name) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(name + ".csv"));
        return lines.stream()
            .map(line -> Arrays.stream(line.split(",")).mapToDouble(Double::parseDouble).toArray())
            .toArray(double[][]::new);
    }

    /** Labels come first, and their number is the index of the class. */
    static Instances instances(int labels, int features) {
        ArrayList<Attribute> attributes = new ArrayList<>();
        for (int label = 0; label < labels; label++) {
            attributes.add(new Attribute("label" + label, List.of("0", "1")));
        }
        for (int feature = 0; feature < features; feature++) {
            attributes.add(new Attribute("feature" + feature));
        }
        Instances made = new Instances("data: -C " + labels, attributes, 0);
        made.setClassIndex(labels);
        return made;
    }

    static Instance instance(double[] labels, double[] features, Instances of) {
        double[] values = Arrays.copyOf(labels, labels.length + features.length);
        System.arraycopy(features, 0, values, labels.length, features.length);
        Instance made = new DenseInstance(1.0, values);
        made.setDataset(of);
        return made;
    }

    public static void main(String[] arguments) throws Exception {
        double[][] features = read("X"), labels = read("Y"), rows = read("X_new");
        Instances data = instances(labels[0].length, features[0].length);
        for (int row = 0; row < features.length; row++) {
            data.add(instance(labels[row], features[row], data));
        }
        String[] options = Arrays.copyOfRange(arguments, 1, arguments.length);
        MultiLabelClassifier model = (MultiLabelClassifier) AbstractClassifier.forName(arguments[0], options);
        model.buildClassifier(data);
        List<String> scores = new ArrayList<>();
        for (double[] row : rows) {
            double[] of = model.distributionForInstance(instance(new double[labels[0].length], row, data));
            scores.add(Arrays.stream(of).mapToObj(Double::toString).collect(Collectors.joining(",")));
        }
        Files.write(Path.of("scores.csv"), scores);
    }
}
