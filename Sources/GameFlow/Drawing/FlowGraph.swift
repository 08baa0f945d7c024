// A flow as a graph: what DOT, MERMAID, SVG and the page's JSON are all drawn from, be the flow written in a file or explored.

/// States and what leads from one to another, in document order.
package struct FlowGraph: Sendable {
    package enum Origin: Sendable {
        /// The flow is drawn as its file has it.
        case written
        /// It was found by trying every event and timer.
        case explored
    }

    package let flow: String
    package let origin: Origin
    /// Each before its children; the first is the root, which stands for the flow as a whole.
    package var states: [State]
    package var edges: [Edge]

    package init(flow: String, origin: Origin, states: [State], edges: [Edge]) {
        self.flow = flow
        self.origin = origin
        self.states = states
        self.edges = edges
    }

    package struct State: Sendable {
        package enum Kind: Sendable, Equatable {
            case atomic
            case compound
            case parallel
            case final
            case history(isDeep: Bool)
        }

        /// Its own name, as it was written.
        package let name: String
        /// The dotted path from the root; empty for the root.
        package let path: String
        package let kind: Kind
        package let parent: Int?
        package var children: [Int]
        /// Where it begins, or what a history state stands for at first. A parallel state begins in all its children.
        package var beginnings: [Int]
        /// False where an exploration found no way to it.
        package var isReached = true
        /// Whether the flow lists it. An exploration may find one that is missing there.
        package var isListed = true

        package init(
            name: String, path: String, kind: Kind, parent: Int?, children: [Int] = [], beginnings: [Int] = []
        ) {
            self.name = name
            self.path = path
            self.kind = kind
            self.parent = parent
            self.children = children
            self.beginnings = beginnings
        }
    }

    package struct Edge: Sendable, Hashable {
        package let from: Int
        package let to: Int
        /// The event that leads along it; nil for a timer, and for what needs none.
        package let event: String?
        /// The timer whose end or milestone leads along it.
        package let timer: String?
        /// Its guard, fit to be shown.
        package let condition: String?
        /// What is written at it, its guard included.
        package let label: String
        /// Whether it happens within its state, without leaving it.
        package let isInner: Bool

        package init(
            from: Int, to: Int, event: String? = nil, timer: String? = nil, condition: String? = nil, label: String,
            isInner: Bool = false
        ) {
            self.from = from
            self.to = to
            self.event = event
            self.timer = timer
            self.condition = condition
            self.label = label
            self.isInner = isInner
        }
    }
}

extension FlowGraph {
    /// For Graphviz.
    package var dot: String {
        switch origin {
        case .written: FramedDot(DrawnGraph(self)).text
        case .explored: plainDot
        }
    }

    /// For Mermaid, which web pages and code hosts draw.
    package var mermaid: String {
        switch origin {
        case .written: FramedMermaid(DrawnGraph(self)).text
        case .explored: plainMermaid
        }
    }
}
