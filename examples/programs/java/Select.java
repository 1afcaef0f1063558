// Score features: the sum over labels of their squared correlations with a feature.

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

public class Select {
    static double[][] read(String name) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(name + ".csv"));
        return lines.stream()
            .map(line -> List.of(line.split(",")).stream().mapToDouble(Double::parseDouble).toArray())
            .toArray(double[][]::new);
    }

    static double[] column(double[][] table, int number) {
        double[] values = IntStream.range(0, table.length).mapToDouble(row -> table[row][number]).toArray();
        double mean = IntStream.range(0, values.length).mapToDouble(row -> values[row]).average().orElse(0);
        return IntStream.range(0, values.length).mapToDouble(row -> values[row] - mean).toArray();
    }

    static double product(double[] one, double[] two) {
        return IntStream.range(0, one.length).mapToDouble(row -> one[row] * two[row]).sum();
    }

    public static void main(String[] arguments) throws Exception {
        double[][] features = read("X"), labels = read("Y");
        StringBuilder scores = new StringBuilder();
        for (int feature = 0; feature < features[0].length; feature++) {
            double[] x = column(features, feature);
            double score = 0;
            for (int label = 0; label < labels[0].length; label++) {
                double[] y = column(labels, label);
                double squares = product(x, x) * product(y, y);
                score += squares > 0 ? Math.pow(product(x, y), 2) / squares : 0;
            }
            scores.append(score).append("\n");
        }
        Files.writeString(Path.of("scores.csv"), scores);
    }
}
