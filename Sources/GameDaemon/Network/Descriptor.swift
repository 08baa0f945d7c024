import Glibc

/// An open file descriptor, closed when it is dropped.
struct Descriptor: ~Copyable {
    let number: Int32

    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit {
        close(number)
    }
}
