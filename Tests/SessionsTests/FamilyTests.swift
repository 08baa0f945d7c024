// Links between children and parents, tested without sessions.

import Seeds
import Testing
@testable import Sessions

@Suite struct `The family of sessions` {
    private static func session(_ number: Int) -> SessionReference { SessionReference(slot: UInt32(number), life: 1) }

    private static func link(_ parent: Int, _ id: String) -> ParentLink { ParentLink(parent: .here(session(parent)), id: id) }

    @Test(arguments: [UInt64(1), 2, 3])
    func `A family agrees with a model under random additions and removals`(seed: UInt64) {
        var random = SeededGenerator.announced("a family", seed: seed)
        var family = Family()
        /// By child.
        var model: [Int: (parent: Int, id: String)] = [:]
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let parent = Int.random(in: 0..<12, using: &random)
                let id = "child\(number)"
                guard model[number] == nil, parent != number else { continue }
                family.add(Self.session(number), Self.link(parent, id))
                model[number] = (parent, id)
            case 1:
                let link = family.unlink(Self.session(number))
                #expect(link?.id == model.removeValue(forKey: number)?.id)
            case 2:
                let orphans = family.unlinkChildren(of: Self.session(number))
                let expected = model.filter { $0.value.parent == number }.sorted { $0.value.id < $1.value.id }.map(\.key)
                #expect(orphans.map { Int($0.slot) } == expected)
                for child in expected { model[child] = nil }
            default:
                let (parent, count) = (family.parent(of: Self.session(number)), family.count(of: Self.session(number)))
                #expect(parent.map { Int($0.slot) } == model[number]?.parent)
                #expect(count == model.values.count { $0.parent == number })
                let isChild = family.isChild(Self.session(number))
                #expect(isChild == (model[number] != nil))
            }
        }
        for number in 0..<12 { _ = family.unlink(Self.session(number)) }
        let isEmpty = family.isEmpty
        #expect(isEmpty)
    }

    @Test func `A child is reported done once, and its depth is bounded even in a cycle`() {
        var family = Family()
        for number in 1..<5 { family.add(Self.session(number), Self.link(number - 1, "next")) }
        let depths = (0..<5).map { family.depth(of: Self.session($0)) }
        #expect(depths == [0, 1, 2, 3, 4])
        let done = [3, 3, 0].map { family.markDone(Self.session($0)) }
        #expect(done == [true, false, false], "the last has no parent")
        family.add(Self.session(0), Self.link(4, "first"))
        let depth = family.depth(of: Self.session(0))
        #expect(depth == Family.deepest + 1)
    }

    @Test func `A parent in another shard is linked by name, and only its latest child with an id is current`() {
        var family = Family()
        let (parent, child) = (Self.session(0), Self.session(1))
        let first = family.invoke("table", by: parent)
        let firstIsCurrent = family.isCurrent(first, "table", of: parent)
        let second = family.invoke("table", by: parent)
        // After a restart, the number is not known.
        let areCurrent = [first, second, nil].map { family.isCurrent($0, "table", of: parent) }
        #expect(firstIsCurrent && areCurrent == [false, true, true])
        family.add(child, ParentLink(parent: .apart(name: "lobby", invocation: second), id: "table"))
        let (isChild, near) = (family.isChild(child), family.parent(of: child))
        #expect(isChild && near == nil)
        family.add(child, ParentLink(parent: .apart(name: "lobby", invocation: nil), id: "table"))
        let isStillChild = family.isChild(child)
        #expect(!isStillChild, "it may only have a child's name")
        _ = family.unlink(child)
        let hasInvocations = !family.isEmpty
        family.forgetInvocation("table", by: parent)
        let isEmpty = family.isEmpty
        #expect(hasInvocations && isEmpty)
    }

    @Test func `Unlinking a session's children leaves no links, even to children in other shards`() {
        var family = Family()
        _ = family.invoke("table", by: Self.session(0))
        family.add(Self.session(1), Self.link(0, "chair"))
        let orphans = family.unlinkChildren(of: Self.session(0))
        let isEmpty = family.isEmpty
        #expect(orphans == [Self.session(1)] && isEmpty)
    }

    @Test func `A child's name is split at its last slash`() {
        #expect(
            ChildName.split("lobby/table/seat")?.parent == "lobby/table" && ChildName.split("lobby/table/seat")?.id == "seat")
        #expect(ChildName.split("lobby") == nil)
        #expect(ChildName.make("seat", below: "lobby/table") == "lobby/table/seat")
    }
}
