// The configuration file: JSON5, one object with a key for each setting. All its mistakes are reported at once.

import Commands
import GameFlow
import Posix
import Texts

struct ConfigurationFile {
    let path: String
    private(set) var layer = SettingLayer()
    private let positions: TextPositions

    init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        let unreadable = Self.lineThatIsNoText(bytes)
        let document = JSON5Document(bytes: unreadable == nil ? bytes : [])
        positions = document.positions
        if let line = unreadable {
            layer.complain(
                .file(path, line: line, column: 1), "the file is UTF-8, and in this line there is a byte that is not")
            return
        }
        for problem in document.problems { complain(problem.offset, problem.sentence) }
        if let root = document.root { read(root) }
        layer.sortMistakes()
    }

    private static func lineThatIsNoText(_ bytes: [UInt8]) -> Int? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            return bytes[..<error.byteOffsets.lowerBound].count { $0 == 0x0A } + 1
        }
    }

    func origin(_ offset: Int) -> Origin {
        let position = positions[offset]
        return .file(path, line: position.line, column: position.column)
    }

    mutating func complain(_ offset: Int, _ sentence: @autoclosure () -> String) {
        layer.complain(origin(offset), sentence())
    }

    // MARK: Settings

    private mutating func read(_ root: LocatedJSON) {
        guard let members = root.members else {
            if !root.isUnreadable { complain(root.offset, "the configuration is an object, { setting: value, … }") }
            return
        }
        for member in members {
            guard let option = Option.inFile.first(where: { $0.key == member.name }) else {
                complain(member.offset, Self.unknown(member.name))
                continue
            }
            guard let values = values(member.value, of: option) else { continue }
            layer.set(option, to: values, at: origin(member.value.offset), called: option.key)
        }
    }

    private static func unknown(_ name: String) -> String {
        if let option = Option.setting(name), option.isForOneStart {
            return "\(name) is for one start alone: give it on the command line, \(option.usage), or in \(option.variable)"
        }
        if let limit = Limit.named(name) {
            return "'\(name.shortened.printable)' is a limit: write it as limit: { \"\(limit.name)\": \(limit.standard) }"
        }
        let bare = String(name.drop { $0 == "-" })
        return "there is no setting '\(name.shortened.printable)'; \(Option.inFile.map(\.key).advice(for: bare))"
    }

    func base(_ text: String, for option: Option) -> String {
        guard option.isPath(text), !text.hasPrefix("/"), !text.isEmpty else { return text }
        guard let end = path.lastIndex(of: "/") else { return text }
        return "\(path[...end])\(text)"
    }
}
