// The daemon's settings and its page, as the commands CONFIG SHOW and PAGE know them.

package struct ShownSetting {
    package let name: String
    /// The value in force.
    package let value: String
    /// The origin of the value: a place in a file, a variable, an option, CONFIG SET, or `default`.
    package let origin: String
    /// The value after a restart, where the configuration has changed.
    package let pending: String?

    package init(name: String, value: String, origin: String, pending: String? = nil) {
        (self.name, self.value, self.origin, self.pending) = (name, value, origin, pending)
    }
}

package protocol ShownSettings: AnyObject {
    var settings: [ShownSetting] { get }
}

package protocol LoginPage: AnyObject {
    /// A new link to the page, which logs in once.
    var link: String { get }
}
