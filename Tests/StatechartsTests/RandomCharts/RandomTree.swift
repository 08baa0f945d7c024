// The states of a random chart, without transitions and actions.

import Statecharts
import Seeds

/// A tree of states that grows until its budget is spent. States are numbered in document order; the first is the root.
struct RandomTree {
    struct Node {
        var sketch: StateSketch
        var path: String
        var parent: Int?
        var children: [Int] = []
    }

    private(set) var nodes: [Node] = []
    private var budget: Int

    init(_ random: inout SeededGenerator) {
        budget = Int.random(in: 3...14, using: &random)
        grow(random.decides(0.15) ? .parallel : .compound, depth: 0, parent: nil, &random)
    }

    private mutating func grow(_ kind: ChartStateNode.Kind, depth: Int, parent: Int?, _ random: inout SeededGenerator) {
        let index = nodes.count
        let key = parent == nil ? "root" : "s\(index)"
        let around = parent.map { nodes[$0].path } ?? ""
        let path = parent == nil ? "" : around.isEmpty ? key : "\(around).\(key)"
        nodes.append(Node(sketch: StateSketch(key: key, kind: kind), path: path, parent: parent))
        if let parent { nodes[parent].children.append(index) }
        guard kind == .compound || kind == .parallel else { return }
        for child in Self.children(of: kind, depth: depth, &random) {
            budget -= 1
            grow(budget > 0 || child.isLeaf ? child : .atomic, depth: depth + 1, parent: index, &random)
        }
    }

    private static func children(
        of kind: ChartStateNode.Kind, depth: Int, _ random: inout SeededGenerator
    ) -> [ChartStateNode.Kind] {
        // One child is rare, and legal.
        let count = random.decides(0.1) ? 1 : Int.random(in: 2...3, using: &random)
        var kinds = (0..<count).map { _ in
            child(of: kind, depth: depth, &random)
        }
        if kinds.allSatisfy({ $0 == .final }) { kinds[0] = .atomic }
        if random.decides(0.25) { kinds.append(.history(isDeep: random.decides(0.5))) }
        return kinds.shuffled(using: &random)
    }

    private static func child(of kind: ChartStateNode.Kind, depth: Int, _ random: inout SeededGenerator) -> ChartStateNode.Kind
    {
        let isInner = depth < 3
        let dice = Double.random(in: 0..<1, using: &random)
        if kind == .parallel { return isInner && dice < 0.8 ? dice < 0.65 ? .compound : .parallel : .atomic }
        if dice < 0.15 { return .final }
        guard isInner else { return .atomic }
        return dice < 0.4 ? .compound : dice < 0.6 ? .parallel : .atomic
    }

    // MARK: Asking

    /// The states that a transition can have as a target, besides history states.
    func regularChildren(of state: Int) -> [Int] { nodes[state].children.filter { nodes[$0].sketch.kind.isRegular } }

    func descendants(of state: Int) -> [Int] {
        nodes[state].children.flatMap { [$0] + descendants(of: $0) }
    }

    func parallels(in states: [Int]) -> [Int] { states.filter { nodes[$0].sketch.kind == .parallel } }

    /// The state and those around it.
    func lineage(of state: Int) -> [Int] { [state] + (nodes[state].parent.map { lineage(of: $0) } ?? []) }

    // MARK: Filling in

    mutating func change(_ state: Int, _ body: (inout StateSketch) -> Void) { body(&nodes[state].sketch) }

    /// The state with its children in it.
    func sketch(of state: Int = 0) -> StateSketch {
        var sketch = nodes[state].sketch
        sketch.children = nodes[state].children.map { self.sketch(of: $0) }
        return sketch
    }
}

extension ChartStateNode.Kind {
    fileprivate var isLeaf: Bool { self != .compound && self != .parallel }

    var isRegular: Bool {
        switch self {
        case .atomic, .compound, .parallel, .final: true
        case .history: false
        }
    }
}

extension SeededGenerator {
    /// True with this probability.
    mutating func decides(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// One of them; there is at least one.
    mutating func one<T>(of choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &self)] }
}
