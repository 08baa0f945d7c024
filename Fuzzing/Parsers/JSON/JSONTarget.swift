// The target `json`. For any payload of an event, the scanner, the tree, the fields and the stored value agree with each other. Well-formed JSON is
// the same value when it has been written and read again.

@testable import JSON
import Texts

func checkJSON(_ input: [UInt8]) { input.withExactCopy { check($0) } }

private func check(_ bytes: UnsafeRawBufferPointer) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
        promise(failure { () throws(JSONError) in _ = try Payload(bytes: bytes) } != nil, "invalid UTF-8 was accepted")
        return
    }
    let scanned = failure { () throws(JSONError) in try JSONScanner.check(bytes) }
    let parsed = bounded("reading JSON") { failure { () throws(JSONError) in _ = try JSON(parsing: text) } }
    promise(scanned == parsed, "the scanner says \(name(scanned)), the tree \(name(parsed))")
    if let scanned {
        promise((0...bytes.count).contains(scanned.offset), "the fault is at byte \(scanned.offset) of \(bytes.count)")
    } else {
        check(JSON(scanned: bytes))
    }
    do throws(JSONError) {
        check(try bounded("reading a payload") { () throws(JSONError) in try Payload(bytes: bytes) })
    } catch {
        promise(error == scanned, "a fault of its own: \(error)")
    }
}

/// A written value reads back as the same value.
private func check(_ value: JSON) {
    let written = value.description
    do throws(JSONError) {
        let again = try JSON(parsing: written)
        promise(again == value && again.description == written, "\(written) is read again as \(again)")
    } catch {
        promise(false, "\(written) is written and cannot be read: \(error)")
    }
    promise(!written.unicodeScalars.contains(where: \.isUnprintable), "\(written.debugDescription) is written")
    promise(value.depth <= JSONScanner.deepest, "values are \(value.depth) deep")
}

private func check(_ payload: Payload) {
    let value = payload.json
    for name in value.names + ["", "episode", "\u{e9}"] {
        let field = value.field(name)
        promise(payload.field(name) == field, "the field '\(name)' is \(field as Any)")
        promise(payload[name] == value[name], "the member '\(name)' is \(value[name] as Any)")
        promise(payload.integer(name) == field?.integer && payload.double(name) == field?.double, "'\(name)' is a number")
        promise(payload.text(name) == field?.text && payload.boolean(name) == field?.boolean, "'\(name)' is a text")
    }
    promise(payload.text.isJSON(value), "the text is \(payload.text)")
    let kept = payload.kept
    promise(kept.utf8.count <= JSON.maxKept + 3, "\(kept.utf8.count) bytes are kept")
    if !kept.hasSuffix("…") || payload.text.utf8.count <= JSON.maxKept { promise(kept.isJSON(value), "\(kept) is kept") }
}

private func failure(_ body: () throws(JSONError) -> Void) -> JSONError? {
    do throws(JSONError) {
        try body()
        return nil
    } catch {
        return error
    }
}

private func name(_ error: JSONError?) -> String { error.map { "'\($0)'" } ?? "nothing" }

extension String {
    fileprivate func isJSON(_ value: JSON) -> Bool {
        do throws(JSONError) { return try JSON(parsing: self) == value } catch { return false }
    }
}

extension JSON {
    fileprivate var depth: Int {
        switch self {
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
        case .null, .bool, .integer, .number, .string: 0
        }
    }

    fileprivate var names: [String] {
        if case .object(let members) = self { members.prefix(20).map(\.name) } else { [] }
    }
}
