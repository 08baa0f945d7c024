// One life of a node in the cluster: from its joining until its lease has ended.

/// The registry numbers them in rising order, and never gives a number twice.
package struct Incarnation: Hashable, Comparable, Sendable {
    package let number: Int64

    package init(_ number: Int64) {
        self.number = number
    }

    package static func < (left: Incarnation, right: Incarnation) -> Bool {
        left.number < right.number
    }
}

/// In rising order.
extension [Incarnation] {
    func firstPlace(notBefore incarnation: Incarnation) -> Int { firstPlace { $0 >= incarnation } }

    func place(of incarnation: Incarnation) -> Int? {
        let place = firstPlace(notBefore: incarnation)
        return place < count && self[place] == incarnation ? place : nil
    }
}
