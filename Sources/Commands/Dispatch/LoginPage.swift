// The page, as the command PAGE knows it.

package protocol LoginPage: AnyObject {
    /// A new link to the page, which logs in once.
    var link: String { get }
}
