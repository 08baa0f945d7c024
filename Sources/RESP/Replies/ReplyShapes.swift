// Replies that differ between the versions of the protocol. RESP2 uses the nearest type that it has, as Redis does.

/// The version of the protocol. A client begins with RESP2 and may switch to RESP3.
public enum ProtocolVersion: Int, Sendable {
    case resp2 = 2
    case resp3 = 3
}

extension ReplyBuffer {
    private var isResp3: Bool { protocolVersion == .resp3 }

    // MARK: Null

    public func appendNull() {
        append(preencoded: isResp3 ? "_\r\n" : "$-1\r\n")
    }

    /// Null, where an array is expected.
    public func appendNullArray() {
        append(preencoded: isResp3 ? "_\r\n" : "*-1\r\n")
    }

    // MARK: Headers

    /// This many replies follow.
    public func append(arrayOf count: Int) {
        queue.append(header: .star, count)
    }

    /// Changes the number of replies in the header of the array at an offset.
    public func replaceHeader(ofArray old: Int, at offset: Int, with count: Int) {
        queue.replace(header: old, at: offset, with: count)
    }

    /// This many pairs follow, a key and a value each.
    public func append(mapOf count: Int) {
        if isResp3 {
            queue.append(header: UInt8(ascii: "%"), count)
        } else {
            queue.append(header: .star, count * 2)
        }
    }

    /// This many replies follow, in no order.
    public func append(setOf count: Int) {
        queue.append(header: isResp3 ? UInt8(ascii: "~") : .star, count)
    }

    /// This many replies follow, as a push.
    public func append(pushOf count: Int) {
        queue.append(header: isResp3 ? UInt8(ascii: ">") : .star, count)
    }

    // MARK: Values

    public func append(boolean: Bool) {
        switch (protocolVersion, boolean) {
        case (.resp2, false): append(preencoded: ":0\r\n")
        case (.resp2, true): append(preencoded: ":1\r\n")
        case (.resp3, false): append(preencoded: "#f\r\n")
        case (.resp3, true): append(preencoded: "#t\r\n")
        }
    }

    public func append(double: Double) {
        let text = Self.text(of: double)
        guard isResp3 else { return append(bulk: text) }
        queue.append(UInt8(ascii: ","))
        queue.append(lineOf: text)
        queue.appendLineEnd()
    }

    /// Text for people, to be shown as it is.
    public func append(verbatim text: String) {
        guard isResp3 else { return append(bulk: text) }
        queue.append(header: UInt8(ascii: "="), text.utf8.count + 4)
        queue.append(text: "txt:")
        queue.append(text: text)
        queue.appendLineEnd()
    }

    /// The shortest exact digits, without `.0`.
    private static func text(of double: Double) -> String {
        let text = double.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
