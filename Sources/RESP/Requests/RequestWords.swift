// The words of one request, as commands read them.

import Memory

/// The words of a request, unretained: the caller keeps them alive until the request is carried out. At millions of requests a second,
/// reference counting would cost more than parsing.
public struct Words {
    @usableFromInline let arguments: Borrowed<RequestArguments>

    @inlinable @inline(__always)
    public init(_ arguments: RequestArguments) {
        self.arguments = Borrowed(arguments)
    }

    @inlinable @inline(__always) public var count: Int { arguments.with { $0.count } }

    @inlinable @inline(__always) public subscript(index: Int) -> Argument { arguments.with { $0[index] } }

    /// How many bytes there are from the first word's first to the last one's last, or more.
    @inlinable @inline(__always) public var extent: Int { arguments.with { $0.extent } }

    /// Whether the request is a line of HTTP.
    @inlinable @inline(__always) public var lookLikeHTTP: Bool { arguments.with { $0.looksLikeHTTP } }
}
