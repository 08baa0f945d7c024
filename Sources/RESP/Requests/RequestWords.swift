// The words of one request, as commands read them.

import Memory

/// The words of a request, unretained: the caller keeps them alive until the request is carried out. At millions of requests a second,
/// reference counting would cost more than parsing.
public struct Words {
    /// Where the words are, from `origin` on. Requests of one shape share it.
    @usableFromInline let arguments: Borrowed<RequestArguments>
    /// Nil if there are none.
    @usableFromInline let origin: UnsafeRawPointer?

    @inlinable public init(_ arguments: RequestArguments) {
        (self.arguments, origin) = (Borrowed(arguments), arguments.content.origin)
    }

    private init(_ arguments: Borrowed<RequestArguments>, from origin: UnsafeRawPointer) {
        (self.arguments, self.origin) = (arguments, origin)
    }

    @inlinable public var count: Int { arguments.with { $0.count } }

    @inline(__always)
    @inlinable public subscript(index: Int) -> Argument {
        Argument(arguments.with { $0.bytes(index, from: origin) })
    }

    /// How many bytes there are from the first word's first to the last one's last, or more.
    @inlinable public var extent: Int { arguments.with { $0.extent } }

    /// Whether the request is a line of HTTP: a browser's, whose page could smuggle commands after it.
    @inlinable public var lookLikeHTTP: Bool {
        // The first letter rules out nearly every request.
        guard count > 0, let letter = self[0].bytes.first,
            letter & 0xDF == UInt8(ascii: "P") || letter & 0xDF == UInt8(ascii: "H")
        else { return false }
        return beginsLikeHTTP
    }

    @usableFromInline
    var beginsLikeHTTP: Bool { self[0].isWord("POST") || self[0].isWord("HOST:") }

    /// The words of a request at the start of `bytes`, and its length, if it has the shape of this one: as many words of the same lengths.
    /// Nil otherwise, and if it is incomplete. Clients that pipeline mostly repeat a shape, and comparing the headers takes a third of
    /// parsing them.
    func repeated(in bytes: UnsafeRawBufferPointer) -> (words: Words, length: Int)? {
        guard let origin, let start = bytes.baseAddress else { return nil }
        return arguments.with { arguments in
            let length = arguments.extent &+ 2
            guard length <= bytes.count, arguments.hasSameHeaders(at: start, as: origin) else { return nil }
            return (Words(self.arguments, from: start), length)
        }
    }
}
