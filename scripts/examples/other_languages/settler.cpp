// The settler in C++17: settler.py says what it does, docs/languages.md what the messages hold.
// g++ -std=c++17 -O2 -o settler settler.cpp && planetwars evaluate cmd:./settler

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

// A value of JSON: a text, a number (true is 1, false and null are 0), a list or an object.
struct Value {
  std::string text;
  double number = 0;
  std::vector<Value> items;
  std::map<std::string, Value> fields;

  const Value& operator[](const std::string& name) const { return fields.at(name); }
  long whole() const { return static_cast<long>(number); }
};

// Reads one value of JSON from `at` on. It trusts the arena to write correct JSON without escapes in texts.
Value read(const char*& at) {
  auto skip = [&] { while (std::isspace(*at) || *at == ',' || *at == ':') ++at; };
  Value value;
  skip();
  if (*at == '"') {
    for (++at; *at != '"'; ++at) value.text += *at;
    ++at;
  } else if (*at == '[') {
    for (++at, skip(); *at != ']'; skip()) value.items.push_back(read(at));
    ++at;
  } else if (*at == '{') {
    for (++at, skip(); *at != '}'; skip()) {
      std::string name = read(at).text;
      value.fields[name] = read(at);
    }
    ++at;
  } else if (std::isalpha(*at)) {
    value.number = *at == 't';
    while (std::isalpha(*at)) ++at;
  } else {
    char* end;
    value.number = std::strtod(at, &end);
    at = end;
  }
  return value;
}

struct Planet {
  long id, owner, population, mine;
};

long me = 0;
std::map<long, std::vector<long>> around;  // id of a planet: ids of its neighbours

void begin(const Value& game) {
  me = game["player"].whole();
  for (const Value& edge : game["edges"].items) {
    around[edge["a"].whole()].push_back(edge["b"].whole());
    around[edge["b"].whole()].push_back(edge["a"].whole());
  }
}

std::string takeTurn(const Value& view) {
  std::vector<Planet> planets;
  std::map<long, Planet> visible;
  for (const Value& one : view["planets"].items) {
    const std::vector<Value>& people = one["people"].items;
    long population = people[0].whole() + people[1].whole();
    planets.push_back({one["id"].whole(), one["owner"].whole(), population, people[me - 1].whole()});
    visible[planets.back().id] = planets.back();
  }
  std::string moves;
  for (const Planet& planet : planets) {
    if (planet.owner != me) continue;
    std::vector<Planet> own, others;
    for (long id : around[planet.id]) (visible[id].owner == me ? own : others).push_back(visible[id]);
    long half = planet.mine / 2, target = 0;
    if (!others.empty()) {
      const Planet& weakest = *std::min_element(others.begin(), others.end(), [](const Planet& a, const Planet& b) {
        return a.population != b.population ? a.population < b.population : a.id < b.id;
      });
      if (half <= weakest.population) continue;
      target = weakest.id;
    } else {
      if (half == 0) continue;
      std::sort(own.begin(), own.end(), [](const Planet& a, const Planet& b) { return a.id < b.id; });
      target = own[view["turn"].whole() % own.size()].id;
    }
    if (!moves.empty()) moves += ",";
    moves += "[" + std::to_string(planet.id) + "," + std::to_string(target) + "," + std::to_string(half) + "]";
  }
  return "{\"moves\":[" + moves + "]}";
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const char* at = line.c_str();
    Value request = read(at);
    std::string answer = "{}", type = request["type"].text;
    if (type == "hello") answer = "{\"name\":\"settler.cpp\"}";
    if (type == "begin") begin(request);
    if (type == "turn") answer = takeTurn(request);
    std::cout << answer << std::endl;  // endl sends the line at once
  }
}
