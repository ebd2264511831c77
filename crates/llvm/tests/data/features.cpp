// Uses what C does not have; compiled by the tests, never run by them.
#include <atomic>

namespace shapes {
class Shape {
public:
  explicit Shape(int size) : size_(size) {}
  virtual ~Shape() {}
  virtual int area() const { return size_; }

protected:
  int size_;
};

class Square : public Shape {
public:
  explicit Square(int side) : Shape(side) {}
  int area() const override { return size_ * size_; }
};
} // namespace shapes

template <typename T> struct Stack {
  T items[4];
  int count = 0;
  void push(const T &item) { items[count++] = item; }
  T pop() { return items[--count]; }
};

template <typename T> T larger(T left, T right) { return left < right ? right : left; }

static std::atomic<int> counter{0};
shapes::Square global_square(3);

static int guarded() {
  static Stack<int> stack;
  stack.push(4);
  return stack.pop();
}

static void may_throw(int value) {
  if (value > 100)
    throw value;
}

int main(int argc, char **) {
  shapes::Shape *shape = new shapes::Square(argc);
  auto add = [&](int x) { return x + argc; };
  int total = shape->area() + guarded() + larger(1, 2) + add(3);
  try {
    may_throw(total);
  } catch (int caught) {
    total = caught;
  }
  counter.fetch_add(total);
  delete shape;
  return counter.load();
}
