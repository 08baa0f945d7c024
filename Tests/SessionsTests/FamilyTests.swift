// Links between children and parents, tested without sessions.

import Seeds
import Testing
@testable import Sessions

@Suite struct `The family of sessions` {
    private static func session(_ number: Int) -> SessionReference { SessionReference(slot: UInt32(number), life: 1) }

    private static func link(_ parent: Int, _ id: String, _ invocation: UInt64? = 1) -> ParentLink {
        ParentLink(parent: "session \(parent)", id: id, invocation: invocation)
    }

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
                family.addChild(id, 1, to: Self.session(parent))
                model[number] = (parent, id)
            case 1:
                let (link, expected) = (family.unlink(Self.session(number)), model.removeValue(forKey: number))
                #expect(link?.id == expected?.id)
                if let expected { family.removeChild(expected.id, of: Self.session(expected.parent)) }
            case 2:
                let orphans = family.removeChildren(of: Self.session(number))
                let expected = model.filter { $0.value.parent == number }.sorted { $0.value.id < $1.value.id }
                #expect(orphans == expected.map(\.value.id))
                for child in expected.map(\.key) {
                    family.unlink(Self.session(child))
                    model[child] = nil
                }
            default:
                let link = family.link(of: Self.session(number))
                let count = family.count(of: Self.session(number), excluding: "")
                #expect(link?.parent == model[number].map { "session \($0.parent)" } && link?.id == model[number]?.id)
                #expect(count == model.values.count { $0.parent == number })
                let isChild = family.isChild(Self.session(number))
                #expect(isChild == (model[number] != nil))
            }
        }
        for number in 0..<12 {
            family.unlink(Self.session(number))
            family.removeChildren(of: Self.session(number))
        }
        let isEmpty = family.isEmpty
        #expect(isEmpty)
    }

    @Test func `A child is reported done once`() {
        var family = Family()
        for number in 1..<5 { family.add(Self.session(number), Self.link(number - 1, "next")) }
        let done = [3, 3, 0].map { family.markDone(Self.session($0)) }
        #expect(done == [true, false, false], "the last has no parent")
    }

    @Test func `A parent is linked by name, and only its latest child with an id is current`() {
        var family = Family()
        let (parent, child) = (Self.session(0), Self.session(1))
        let (first, second) = (Family.newInvocation(), Family.newInvocation())
        family.addChild("table", first, to: parent)
        let firstIsCurrent = family.isCurrent(first, "table", of: parent, sending: .report)
        family.addChild("table", second, to: parent)
        let areCurrent = [first, second, nil].map { family.isCurrent($0, "table", of: parent, sending: .event) }
        #expect(firstIsCurrent == true && areCurrent == [false, true, nil])
        for id in ["table", "chair"] { family.expectChild(id, of: parent) }
        let areCurrentLater = ["table", "chair"].map { family.isCurrent(second, $0, of: parent, sending: .report) }
        #expect(areCurrentLater == [true, nil], "the number of a child that is not linked yet is unknown")
        family.addChild("table", first, isRelinked: true, to: parent)
        let late = [ChildSignal.report, .event].map { family.isCurrent(second, "table", of: parent, sending: $0) }
        #expect(late == [false, true], "after a relink the child reports again, and does not send its events again")
        family.add(child, Self.link(0, "table", second))
        let isChild = family.isChild(child)
        family.add(child, Self.link(0, "table", nil))
        let isStillChild = family.isChild(child)
        #expect(isChild && !isStillChild, "it may only have a child's name")
        family.unlink(child)
        let hasChildren = !family.isEmpty
        for id in ["table", "chair"] { family.removeChild(id, of: parent) }
        let isEmpty = family.isEmpty
        #expect(hasChildren && isEmpty)
    }

    @Test func `An event of an unknown child may be current, and one of the last 32 that were dropped in other shards is not`()
    {
        var family = Family()
        let parent = Self.session(0)
        for number in 0...32 {
            family.addChild("kid\(number)", 1, to: parent)
            family.removeDroppedChild("kid\(number)", of: parent, isRemote: true)
        }
        family.removeDroppedChild("kid1", of: parent, isRemote: true)
        let areCurrent = ["kid0", "kid1", "kid32", "other"].map { family.isCurrent(1, $0, of: parent, sending: .event) }
        #expect(areCurrent == [nil, false, false, nil])
        family.addChild("kid32", 1, to: parent)
        let isNextCurrent = family.isCurrent(1, "kid32", of: parent, sending: .event)
        #expect(isNextCurrent == true, "it began again")
        family.removeDroppedChild("kid32", of: parent, isRemote: false)
        let isLastCurrent = family.isCurrent(1, "kid32", of: parent, sending: .event)
        #expect(isLastCurrent == nil, "in one shard nothing of it is on its way")
        family.removeChildren(of: parent)
        let isEmpty = family.isEmpty
        #expect(isEmpty)
    }

    @Test
    func `A session's children are counted without one, and removing them leaves none, whether their numbers are known or not`()
    {
        var family = Family()
        let parent = Self.session(0)
        family.expectChild("table", of: parent)
        family.addChild("chair", 1, to: parent)
        let counts = ["table", "lamp"].map { family.count(of: parent, excluding: $0) }
        let orphans = family.removeChildren(of: parent)
        let isEmpty = family.isEmpty
        #expect(counts == [1, 2] && orphans == ["chair", "table"] && isEmpty)
    }

    @Test func `A child's name is split at its last slash, and its id follows its parent's name`() {
        #expect(
            ChildName.split("lobby/table/seat")?.parent == "lobby/table" && ChildName.split("lobby/table/seat")?.id == "seat")
        #expect(ChildName.split("lobby") == nil)
        #expect(ChildName.make("seat", below: "lobby/table") == "lobby/table/seat")
        #expect(ChildName.id(of: "lobby/table/seat", below: "lobby/table") == "seat")
    }
}
