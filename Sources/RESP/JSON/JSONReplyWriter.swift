// The values of a reply as JSON, without frames in between.

import JSON
import Texts

/// Makes one JSON value of all that is appended: of the last reply, if there are several.
package final class JSONReplyWriter: ReplyWriter {
    /// An aggregate that still lacks values.
    private struct Aggregate {
        let isMap: Bool
        /// Nil for a map that `closeMap` ends.
        var missing: Int?
        var values: [JSON] = []

        var json: JSON {
            guard isMap else { return .array(values) }
            return .object(
                stride(from: 0, to: values.count - 1, by: 2).map { JSON.Member(values[$0].text ?? "", values[$0 + 1]) })
        }
    }

    private var open: [Aggregate] = []
    private var last = JSON.null

    private init() {}

    static func json(of value: some ReplyValue) -> JSON {
        let writer = JSONReplyWriter()
        value.write(to: writer)
        return writer.last
    }

    private func add(_ json: JSON) {
        guard var aggregate = open.popLast() else { return last = json }
        aggregate.values.append(json)
        if let missing = aggregate.missing {
            guard missing > 1 else { return add(aggregate.json) }
            aggregate.missing = missing - 1
        }
        open.append(aggregate)
    }

    private func begin(isMap: Bool, _ count: Int?) {
        let aggregate = Aggregate(isMap: isMap, missing: count)
        if count == 0 { add(aggregate.json) } else { open.append(aggregate) }
    }

    // MARK: Values

    package func append(simple text: String) { add(.string(text)) }
    package func append(simple bytes: UnsafeRawBufferPointer) { append(bulk: bytes) }
    package func append(error code: ErrorCode, _ text: String) { add(Reply.errorJSON(code: code, message: text)) }
    package func append(integer: Int) { add(.integer(integer)) }
    package func append(boolean: Bool) { add(.bool(boolean)) }
    package func append(bulk text: String) { add(.string(text)) }
    package func append(bulk bytes: UnsafeRawBufferPointer) { add(.string(String(decoding: bytes, as: UTF8.self))) }
    /// This process has written the text, so it is valid.
    package func append(json text: String) { add((try? JSON(parsing: text)) ?? .string(text)) }
    package func append(verbatim text: String) { add(.string(text)) }
    package func appendNull() { add(.null) }

    package func append(_ reply: EncodedReply) { add(.string(reply.text)) }

    // MARK: Aggregates

    package func append(arrayOf count: Int) { begin(isMap: false, count) }
    package func append(setOf count: Int) { begin(isMap: false, count) }
    package func append(pushOf count: Int) { begin(isMap: false, count) }
    package func append(mapOf count: Int) { begin(isMap: true, 2 * count) }

    package func openMap() -> Int {
        begin(isMap: true, nil)
        return 0
    }

    package func closeMap(of _: Int, at _: Int) {
        guard let map = open.popLast() else { preconditionFailure("a map is closed that was not opened") }
        add(map.json)
    }
}

extension ReplyValue {
    /// The value as JSON.
    package var json: JSON { JSONReplyWriter.json(of: self) }
}
