import Posix

/// A socket that listens, for who accepts connections by other means.
package struct ListeningSocket: ~Copyable {
    package let descriptor: Descriptor
    /// The address that was asked for.
    package let asked: TcpAddress
    /// The address as it is, with the port that the system has chosen.
    package let address: String

    package init(descriptor: consuming Descriptor, asked: TcpAddress, address: String) {
        self.descriptor = descriptor
        self.asked = asked
        self.address = address
    }

    package consuming func takeDescriptor() -> Descriptor { descriptor }
}
