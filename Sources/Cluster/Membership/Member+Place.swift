// Where a member is found: by clients of the wire, and by other nodes over HTTP.

extension Member {
    /// Before it joins: where clients find it.
    package func setAddress(_ address: NodeAddress) { self.address = address }

    /// Publishes where its page is; nil where it has none.
    package func publish(_ door: NodeEndpoint?) {
        standing.door = door
        nextPlan = .zero
    }
}
