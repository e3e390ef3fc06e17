"""Every operation of the service, read from its own routes, so that no test forgets a new one."""

from formation_portal.service.api import api


def operations() -> list[tuple[str, str, str]]:
    """Method, path below /api/v1 and operation id of each."""
    return [
        (method, path, str(operation.operation_id))
        for _, router in api._routers
        for path, view in router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    ]
