/// The words of a request, without a count of who refers to them: whoever carries the request out keeps them until that is done. At
/// millions of requests a second, counting costs more than reading.
package struct Words {
    private let arguments: Unmanaged<RequestArguments>

    package init(_ arguments: RequestArguments) {
        self.arguments = .passUnretained(arguments)
    }

    package var count: Int { arguments._withUnsafeGuaranteedRef { $0.count } }

    package subscript(index: Int) -> Argument { arguments._withUnsafeGuaranteedRef { $0[index] } }

    /// How many bytes there are from the first word's first to the last one's last, or more.
    package var extent: Int { arguments._withUnsafeGuaranteedRef { $0.extent } }

    /// Somebody's browser, or something that makes one send this.
    package var lookLikeHTTP: Bool { arguments._withUnsafeGuaranteedRef { $0.looksLikeHTTP } }
}
