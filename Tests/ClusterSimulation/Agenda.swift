// Future events of the simulated world, in order of time, and of planning where times are equal.

/// A heap of places: items stay where they are.
struct Agenda<Item> {
    private var heap: [(time: Int64, number: Int, place: Int)] = []
    private var items: [Item?] = []
    private var vacant: [Int] = []
    private var lastNumber = 0

    var nextTime: Int64? { heap.first?.time }

    mutating func add(_ item: Item, at time: Int64) {
        lastNumber += 1
        heap.append((time, lastNumber, put(item)))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func put(_ item: Item) -> Int {
        guard let place = vacant.popLast() else {
            items.append(item)
            return items.count - 1
        }
        items[place] = item
        return place
    }

    mutating func next() -> (time: Int64, item: Item)? {
        guard !heap.isEmpty else { return nil }
        heap.swapAt(0, heap.count - 1)
        let (time, _, place) = heap.removeLast()
        sink()
        vacant.append(place)
        guard let item = items[place].take() else { return nil }
        return (time, item)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < heap.count && isBefore(child, least) { least = child }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].number) < (heap[right].time, heap[right].number)
    }
}
