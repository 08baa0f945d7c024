// The data types that the algorithm of W3C SCXML, appendix D, is written in. They are as slow as they look, and hard to get wrong.

/// "The List data type": `head`, `tail`, `append`, `filter`, `some`, `every`. Swift's arrays have the rest.
typealias List<Element> = [Element]

extension List {
    func head() -> Element? { first }
    func tail() -> List<Element> { List(dropFirst()) }
    func some(_ predicate: (Element) throws -> Bool) rethrows -> Bool { try contains(where: predicate) }
    func every(_ predicate: (Element) throws -> Bool) rethrows -> Bool { try allSatisfy(predicate) }
}

/// "The OrderedSet data type": members in the order in which they were added. Of numbers alone, since generic code is slow in a
/// build for tests.
struct OrderedSet {
    private var members: [Int] = []

    mutating func add(_ element: Int) {
        if !isMember(element) { members.append(element) }
    }

    mutating func delete(_ element: Int) { members.removeAll { $0 == element } }

    mutating func union(_ elements: OrderedSet) {
        for element in elements.members { add(element) }
    }

    mutating func clear() { members = [] }

    func isMember(_ element: Int) -> Bool { members.contains(element) }
    func some(_ predicate: (Int) -> Bool) -> Bool { members.contains(where: predicate) }
    func every(_ predicate: (Int) -> Bool) -> Bool { members.allSatisfy(predicate) }
    func hasIntersection(_ other: OrderedSet) -> Bool { members.contains { other.isMember($0) } }
    func isEmpty() -> Bool { members.isEmpty }
    func toList() -> List<Int> { members }
}

/// "The Queue data type".
struct Queue<Element> {
    private var elements: [Element] = []

    mutating func enqueue(_ element: Element) { elements.append(element) }
    mutating func dequeue() -> Element { elements.removeFirst() }
    func isEmpty() -> Bool { elements.isEmpty }
}
