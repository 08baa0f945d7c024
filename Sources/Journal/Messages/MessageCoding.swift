// Messages between sessions as bytes: a version, what it is, and texts with their lengths before them.

import GameFlow
import Sessions
import Texts

/// The bytes are no message: they are damaged, or of a newer version.
struct DamagedMessage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

private enum MessageKind: UInt8 {
    case event = 1
    case begin = 2
    case drop = 3
    case child = 4
    case returned = 5
}

private enum FateKind: UInt8 {
    case done = 1
    case lost = 2
    case setAside = 3
    case forgotten = 4
}

extension Message {
    private static let version: UInt8 = 1

    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.put(Self.version)
        writer.put(kind.rawValue)
        writer.put(UInt32(clamping: steps))
        writer.put(sender)
        writer.put(receiver)
        switch content {
        case .event(let event, let data):
            writer.put(event)
            writer.put(data?.description ?? "")
        case .begin(let flow, let context, let invocation):
            writer.put(flow)
            writer.put(context.description)
            writer.put(invocation)
        case .drop: break
        case .child(let news): writer.put(news)
        case .returned(let event, let code, let sentence):
            writer.put(event)
            writer.put(code.text)
            writer.put(sentence)
        }
        return writer.bytes
    }

    private var kind: MessageKind {
        switch content {
        case .event: .event
        case .begin: .begin
        case .drop: .drop
        case .child: .child
        case .returned: .returned
        }
    }

    init(bytes: [UInt8]) throws(DamagedMessage) {
        var reader = MessageReader(bytes[...])
        let version = try reader.take(UInt8.self)
        guard version == Self.version else {
            throw DamagedMessage("it is of version \(version), and this gamed reads version \(Self.version)")
        }
        let kind = try reader.take(UInt8.self)
        let (steps, sender, receiver) = (try reader.take(UInt32.self), try reader.text(), try reader.text())
        let content: Content
        switch MessageKind(rawValue: kind) {
        case .event: content = .event(try reader.text(), data: try reader.json())
        case .begin:
            content = .begin(
                flow: try reader.text(), context: try reader.json() ?? .null, invocation: try reader.take(UInt64.self))
        case .drop: content = .drop
        case .child: content = .child(try reader.childNews())
        case .returned:
            content = .returned(event: try reader.text(), code: ErrorCode(try reader.text()), sentence: try reader.text())
        case nil: throw DamagedMessage("it is of a kind that this gamed does not know, \(kind)")
        }
        guard reader.isAtEnd else { throw DamagedMessage("there is something behind its end") }
        self.init(from: sender, to: receiver, after: Int(steps), content)
    }
}

private struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func put(_ text: String) {
        put(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func put(_ news: ChildNews) {
        put(news.id)
        put(UInt8(news.invocation == nil ? 0 : 1))
        put(news.invocation ?? 0)
        switch news.fate {
        case .done(let output):
            put(FateKind.done.rawValue)
            put(output.description)
        case .lost(let code, let sentence):
            put(FateKind.lost.rawValue)
            put(code.text)
            put(sentence)
        case .setAside(let sentence):
            put(FateKind.setAside.rawValue)
            put(sentence)
        case .forgotten: put(FateKind.forgotten.rawValue)
        }
    }
}

private struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take<Number: FixedWidthInteger>(_: Number.Type) throws(DamagedMessage) -> Number {
        try take(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private mutating func take(_ count: Int) throws(DamagedMessage) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw DamagedMessage("it ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() throws(DamagedMessage) -> String {
        let bytes = try take(Int(try take(UInt32.self)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw DamagedMessage("a text in it is not UTF-8") }
        return text
    }

    /// Nil where there is none.
    mutating func json() throws(DamagedMessage) -> JSON? {
        let text = try text()
        guard !text.isEmpty else { return nil }
        do throws(JSONError) { return try JSON(parsing: text) } catch {
            throw DamagedMessage("its data are not JSON: \(error)")
        }
    }

    mutating func childNews() throws(DamagedMessage) -> ChildNews {
        let id = try text()
        let (isKnown, invocation) = (try take(UInt8.self), try take(UInt64.self))
        let kind = try take(UInt8.self)
        let fate: ChildNews.Fate
        switch FateKind(rawValue: kind) {
        case .done: fate = .done(output: try json() ?? .null)
        case .lost: fate = .lost(ErrorCode(try text()), sentence: try text())
        case .setAside: fate = .setAside(sentence: try text())
        case .forgotten: fate = .forgotten
        case nil: throw DamagedMessage("a child's fate in it is one that this gamed does not know, \(kind)")
        }
        return ChildNews(id, isKnown == 0 ? nil : invocation, fate)
    }
}
