import Glibc

/// The process's own output, written at once, also where it is a pipe.
package enum StandardStream: Int32 {
    case output = 1
    case error = 2

    package func say(_ text: String) {
        put(text + "\n")
    }

    /// The text without a line end.
    package func put(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(rawValue, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // Nobody is left to be told where even this fails.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
