// The settler in Java 17: settler.py says what it does, docs/languages.md what the messages hold.
// javac -d classes Settler.java && planetwars evaluate "cmd:java -XX:+UseSerialGC -cp classes Settler"
//
// takeTurn has the shape of the university project's Strategy: planets with an owner and a population, shuttles to send.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class Settler {
  record Planet(int id, int owner, int population, int mine) {}

  private int me;
  private final Map<Integer, List<Integer>> around = new HashMap<>(); // id of a planet: ids of its neighbours

  void begin(Map<String, Object> game) {
    me = whole(game.get("player"));
    for (Object one : (List<?>) game.get("edges")) {
      Map<?, ?> edge = (Map<?, ?>) one;
      int a = whole(edge.get("a")), b = whole(edge.get("b"));
      around.computeIfAbsent(a, id -> new ArrayList<>()).add(b);
      around.computeIfAbsent(b, id -> new ArrayList<>()).add(a);
    }
  }

  List<List<Integer>> takeTurn(int turn, Map<Integer, Planet> visible) {
    List<List<Integer>> moves = new ArrayList<>();
    for (Planet planet : visible.values()) {
      if (planet.owner != me) continue;
      int half = planet.mine / 2;
      List<Planet> neighbours = around.get(planet.id).stream().map(visible::get).toList();
      List<Planet> others = neighbours.stream().filter(one -> one.owner != me).toList();
      if (!others.isEmpty()) {
        Planet target =
            others.stream().min(Comparator.comparing(Planet::population).thenComparing(Planet::id)).get();
        if (half > target.population) moves.add(List.of(planet.id, target.id, half));
      } else if (half > 0) {
        List<Planet> own = neighbours.stream().sorted(Comparator.comparing(Planet::id)).toList();
        moves.add(List.of(planet.id, own.get(turn % own.size()).id, half));
      }
    }
    return moves;
  }

  private Map<Integer, Planet> planetsOf(Map<String, Object> request) {
    Map<Integer, Planet> visible = new LinkedHashMap<>();
    for (Object one : (List<?>) request.get("planets")) {
      Map<?, ?> planet = (Map<?, ?>) one;
      List<?> people = (List<?>) planet.get("people");
      int id = whole(planet.get("id")), population = whole(people.get(0)) + whole(people.get(1));
      visible.put(id, new Planet(id, whole(planet.get("owner")), population, whole(people.get(me - 1))));
    }
    return visible;
  }

  public static void main(String[] arguments) throws IOException {
    Settler settler = new Settler();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null; ) {
      @SuppressWarnings("unchecked")
      Map<String, Object> request = (Map<String, Object>) new Json(line).value();
      String answer = "{}";
      switch ((String) request.get("type")) {
        case "hello" -> answer = "{\"name\":\"Settler.java\"}";
        case "begin" -> settler.begin(request);
        case "turn" -> {
          // A list of lists of numbers prints as JSON.
          var moves = settler.takeTurn(whole(request.get("turn")), settler.planetsOf(request));
          answer = "{\"moves\":" + moves + "}";
        }
        default -> {}
      }
      System.out.println(answer);
    }
  }

  private static int whole(Object number) {
    return ((Double) number).intValue();
  }

  // Reads JSON: objects as maps, lists, texts, numbers as Double. It trusts the arena to write correct JSON without escapes.
  private static class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Object value() {
      skip();
      switch (text.charAt(at)) {
        case '{' -> {
          Map<String, Object> fields = new LinkedHashMap<>();
          for (at++, skip(); text.charAt(at) != '}'; skip()) fields.put((String) value(), value());
          at++;
          return fields;
        }
        case '[' -> {
          List<Object> items = new ArrayList<>();
          for (at++, skip(); text.charAt(at) != ']'; skip()) items.add(value());
          at++;
          return items;
        }
        case '"' -> {
          int from = at + 1;
          at = text.indexOf('"', from) + 1;
          return text.substring(from, at - 1);
        }
        default -> {
          int from = at;
          while (at < text.length() && ",]} ".indexOf(text.charAt(at)) < 0) at++;
          String word = text.substring(from, at);
          return switch (word) {
            case "null" -> null;
            case "true", "false" -> word.equals("true");
            default -> Double.valueOf(word);
          };
        }
      }
    }

    private void skip() {
      while (at < text.length() && ", :".indexOf(text.charAt(at)) >= 0) at++;
    }
  }
}
