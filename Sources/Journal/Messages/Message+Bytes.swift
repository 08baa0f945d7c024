// Messages between sessions as bytes: a version, the kind, and texts with their lengths before them.

import GameFlow
import Sessions
import Texts

/// The bytes are no message that this version can read.
struct DamagedMessage: Error, CustomStringConvertible {
    let description: String
    /// Whether a newer version may be able to read it.
    let isNewer: Bool

    init(_ description: String, isNewer: Bool = false) { (self.description, self.isNewer) = (description, isNewer) }
}

private enum MessageKind: UInt8 {
    case event = 1
    case begin = 2
    case drop = 3
    case child = 4
    case returned = 5
    case relink = 6
    case childEvent = 7
}

private enum OutcomeKind: UInt8 {
    case done = 1
    case lost = 2
    case setAside = 3
    case forgotten = 4
    case restored = 5
}

extension Message {
    private static let version: UInt8 = 1

    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.append(Self.version)
        writer.append(kind.rawValue)
        writer.append(UInt32(clamping: hops))
        writer.append(sender)
        writer.append(receiver)
        switch content {
        case .event(let event, let data, let invocation):
            writer.append(event)
            writer.append(data?.description ?? "")
            if let invocation { writer.append(invocation) }
        case .begin(let flow, let context, let invocation):
            writer.append(flow)
            writer.append(context.description)
            writer.append(invocation)
        case .drop: break
        case .relink(let invocation, let stage):
            writer.append(invocation)
            writer.append(stage?.rawValue ?? "")
        case .child(let update): writer.append(update)
        case .returned(let event, let code, let sentence):
            writer.append(event)
            writer.append(code.text)
            writer.append(sentence)
        }
        return writer.bytes
    }

    private var kind: MessageKind {
        switch content {
        case .event(_, _, let invocation): invocation == nil ? .event : .childEvent
        case .begin: .begin
        case .drop: .drop
        case .relink: .relink
        case .child: .child
        case .returned: .returned
        }
    }

    init(bytes: [UInt8]) throws(DamagedMessage) {
        var reader = MessageReader(bytes[...])
        let version = try reader.read(UInt8.self)
        guard version == Self.version else {
            throw DamagedMessage(
                "it is of version \(version), and this gamed reads version \(Self.version)", isNewer: version > Self.version)
        }
        let kind = try reader.read(UInt8.self)
        let (steps, sender, receiver) = (try reader.read(UInt32.self), try reader.text(), try reader.text())
        let content: Content
        switch MessageKind(rawValue: kind) {
        case .event: content = .event(try reader.text(), data: try reader.json())
        case .childEvent:
            content = .event(try reader.text(), data: try reader.json(), ofChild: try reader.read(UInt64.self))
        case .begin:
            content = .begin(
                flow: try reader.text(), context: try reader.json() ?? .null, invocation: try reader.read(UInt64.self))
        case .drop: content = .drop
        case .relink: content = .relink(invocation: try reader.read(UInt64.self), stage: try reader.stage())
        case .child: content = .child(try reader.childUpdate())
        case .returned:
            content = .returned(event: try reader.text(), code: ErrorCode(try reader.text()), sentence: try reader.text())
        case nil: throw DamagedMessage("it is of a kind that this gamed does not know, \(kind)", isNewer: true)
        }
        guard reader.isAtEnd else { throw DamagedMessage("there is something behind its end") }
        self.init(from: sender, to: receiver, after: Int(steps), content)
    }
}

private struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func append(_ update: ChildUpdate) {
        append(update.id)
        append(UInt8(update.invocation == nil ? 0 : 1))
        append(update.invocation ?? 0)
        switch update.outcome {
        case .done(let output):
            append(OutcomeKind.done.rawValue)
            append(output.description)
        case .lost(let code, let sentence):
            append(OutcomeKind.lost.rawValue)
            append(code.text)
            append(sentence)
        case .setAside(let sentence):
            append(OutcomeKind.setAside.rawValue)
            append(sentence)
        case .forgotten: append(OutcomeKind.forgotten.rawValue)
        case .restored: append(OutcomeKind.restored.rawValue)
        }
    }
}

private struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func read<Number: FixedWidthInteger>(_: Number.Type) throws(DamagedMessage) -> Number {
        try read(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private mutating func read(_ count: Int) throws(DamagedMessage) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw DamagedMessage("it ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() throws(DamagedMessage) -> String {
        let bytes = try read(Int(try read(UInt32.self)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw DamagedMessage("a text in it is not UTF-8") }
        return text
    }

    /// Returns nil if there is no JSON text.
    mutating func json() throws(DamagedMessage) -> JSON? {
        let text = try text()
        guard !text.isEmpty else { return nil }
        do throws(JSONError) { return try JSON(parsing: text) } catch {
            throw DamagedMessage("its data are not JSON: \(error)")
        }
    }

    /// Nil for an empty text.
    mutating func stage() throws(DamagedMessage) -> ChildSession.Stage? {
        let name = try text()
        guard !name.isEmpty else { return nil }
        guard let stage = ChildSession.Stage(rawValue: name) else {
            throw DamagedMessage(
                "a child's stage in it is one that this gamed does not know, '\(name.shortened)'", isNewer: true)
        }
        return stage
    }

    mutating func childUpdate() throws(DamagedMessage) -> ChildUpdate {
        let id = try text()
        let (isKnown, invocation) = (try read(UInt8.self), try read(UInt64.self))
        let kind = try read(UInt8.self)
        let outcome: ChildUpdate.Outcome
        switch OutcomeKind(rawValue: kind) {
        case .done: outcome = .done(output: try json() ?? .null)
        case .lost: outcome = .lost(ErrorCode(try text()), sentence: try text())
        case .setAside: outcome = .setAside(sentence: try text())
        case .forgotten: outcome = .forgotten
        case .restored: outcome = .restored
        case nil:
            throw DamagedMessage("a child's outcome in it is one that this gamed does not know, \(kind)", isNewer: true)
        }
        return ChildUpdate(id, isKnown == 0 ? nil : invocation, outcome)
    }
}
