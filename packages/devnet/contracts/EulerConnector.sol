// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IAccountVault {
    function checkAccountStatus(address account, address[] memory collaterals) external view returns (bytes4);
    function checkVaultStatus() external returns (bytes4);
}

/// Sub-accounts as Euler's connector (EVC) keeps them: an address and the 255 that differ from it in the last byte have one
/// owner, the first of them that acts. Without permits, simulations, lockdown and nonces.
contract EulerConnector {
    struct BatchItem {
        address targetContract;
        address onBehalfOfAccount;
        uint256 value;
        bytes data;
    }

    uint256 private constant MOST_ELEMENTS = 10;

    mapping(bytes19 => address) private ownerOf;
    mapping(bytes19 => mapping(address => uint256)) public getOperator;
    mapping(address => address[]) private collaterals;
    mapping(address => address[]) private controllers;
    address private onBehalfOf;
    bool private deferred;
    bool private checking;
    bool public isControlCollateralInProgress;
    address[] private accountChecks;
    address[] private vaultChecks;

    event OwnerRegistered(bytes19 indexed addressPrefix, address indexed owner);
    event OperatorStatus(bytes19 indexed addressPrefix, address indexed operator, uint256 accountOperatorAuthorized);
    event CollateralStatus(address indexed account, address indexed collateral, bool enabled);
    event ControllerStatus(address indexed account, address indexed controller, bool enabled);
    event CallWithContext(
        address indexed caller,
        bytes19 indexed onBehalfOfAddressPrefix,
        address onBehalfOfAccount,
        address indexed targetContract,
        bytes4 selector
    );
    event AccountStatusCheck(address indexed account, address indexed controller);
    event VaultStatusCheck(address indexed vault);

    error EVC_NotAuthorized();
    error EVC_ControllerViolation();
    error EVC_InvalidAddress();
    error EVC_TooManyElements();
    error EVC_Reentrancy();
    error EVC_OnBehalfOfAccountNotAuthenticated();

    receive() external payable {}

    modifier whileIdle() {
        if (checking || isControlCollateralInProgress) revert EVC_Reentrancy();
        _;
    }

    modifier onlyController(address account) {
        address[] storage own = controllers[account];
        if (own.length != 1) revert EVC_ControllerViolation();
        if (own[0] != msg.sender) revert EVC_NotAuthorized();
        _;
    }

    // Views

    function getAccountOwner(address account) public view returns (address) {
        return ownerOf[prefixOf(account)];
    }

    function getCollaterals(address account) external view returns (address[] memory) {
        return collaterals[account];
    }

    function getControllers(address account) external view returns (address[] memory) {
        return controllers[account];
    }

    function isCollateralEnabled(address account, address vault) external view returns (bool) {
        return placeOf(collaterals[account], vault) > 0;
    }

    function isControllerEnabled(address account, address vault) external view returns (bool) {
        return placeOf(controllers[account], vault) > 0;
    }

    function areChecksInProgress() external view returns (bool) {
        return checking;
    }

    function isAccountStatusCheckDeferred(address account) external view returns (bool) {
        return placeOf(accountChecks, account) > 0;
    }

    function isVaultStatusCheckDeferred(address vault) external view returns (bool) {
        return placeOf(vaultChecks, vault) > 0;
    }

    function getCurrentOnBehalfOfAccount(address controllerToCheck) external view returns (address, bool) {
        if (onBehalfOf == address(0)) revert EVC_OnBehalfOfAccountNotAuthenticated();
        bool enabled = controllerToCheck != address(0) && placeOf(controllers[onBehalfOf], controllerToCheck) > 0;
        return (onBehalfOf, enabled);
    }

    // Operators, collaterals, controllers

    function setAccountOperator(address account, address operator, bool authorized) external payable {
        address owner = authenticate(account, false);
        bytes19 prefix = prefixOf(account);
        uint256 bit = 1 << (uint160(owner) ^ uint160(account));
        uint256 old = getOperator[prefix][operator];
        uint256 changed = authorized ? old | bit : old & ~bit;
        getOperator[prefix][operator] = changed;
        emit OperatorStatus(prefix, operator, changed);
    }

    function enableCollateral(address account, address vault) external payable whileIdle {
        authenticate(account, true);
        if (vault == address(this)) revert EVC_InvalidAddress();
        if (insert(collaterals[account], vault)) emit CollateralStatus(account, vault, true);
        requireAccountStatusCheck(account);
    }

    function disableCollateral(address account, address vault) external payable whileIdle {
        authenticate(account, true);
        if (remove(collaterals[account], vault)) emit CollateralStatus(account, vault, false);
        requireAccountStatusCheck(account);
    }

    function enableController(address account, address vault) external payable whileIdle {
        authenticate(account, true);
        if (vault == address(this)) revert EVC_InvalidAddress();
        if (insert(controllers[account], vault)) emit ControllerStatus(account, vault, true);
        requireAccountStatusCheck(account);
    }

    /// Called by the controller.
    function disableController(address account) external payable whileIdle {
        if (remove(controllers[account], msg.sender)) emit ControllerStatus(account, msg.sender, false);
        requireAccountStatusCheck(account);
    }

    // Calls

    function call(address target, address account, uint256 value, bytes calldata data)
        external
        payable
        whileIdle
        returns (bytes memory result)
    {
        bool was = deferred;
        deferred = true;
        result = callAuthenticated(target, account, value, data);
        settle(was);
    }

    function batch(BatchItem[] calldata items) external payable whileIdle {
        bool was = deferred;
        deferred = true;
        for (uint256 i = 0; i < items.length; i++) {
            callAuthenticated(items[i].targetContract, items[i].onBehalfOfAccount, items[i].value, items[i].data);
        }
        settle(was);
    }

    function controlCollateral(address target, address account, uint256 value, bytes calldata data)
        external
        payable
        whileIdle
        onlyController(account)
        returns (bytes memory result)
    {
        if (placeOf(collaterals[account], target) == 0) revert EVC_NotAuthorized();
        bool was = deferred;
        (deferred, isControlCollateralInProgress) = (true, true);
        result = callWithContext(target, account, value, data);
        isControlCollateralInProgress = false;
        settle(was);
    }

    // Checks

    function requireAccountStatusCheck(address account) public payable {
        if (deferred) insertUnbound(accountChecks, account);
        else checkAccount(account);
    }

    function requireVaultStatusCheck() public payable {
        if (deferred) insertUnbound(vaultChecks, msg.sender);
        else checkVault(msg.sender);
    }

    function requireAccountAndVaultStatusCheck(address account) external payable {
        requireAccountStatusCheck(account);
        requireVaultStatusCheck();
    }

    function forgiveAccountStatusCheck(address account) external payable onlyController(account) {
        remove(accountChecks, account);
    }

    function settle(bool was) private {
        if (!was) {
            address acting = onBehalfOf;
            (checking, onBehalfOf) = (true, address(0));
            while (accountChecks.length > 0) checkAccount(takeFirst(accountChecks));
            while (vaultChecks.length > 0) checkVault(takeFirst(vaultChecks));
            (checking, onBehalfOf) = (false, acting);
        }
        deferred = was;
    }

    function checkAccount(address account) private {
        address[] storage own = controllers[account];
        if (own.length == 0) return;
        if (own.length > 1) revert EVC_ControllerViolation();
        bool was = checking;
        checking = true;
        bytes4 answer = IAccountVault(own[0]).checkAccountStatus(account, collaterals[account]);
        checking = was;
        if (answer != IAccountVault.checkAccountStatus.selector) revert EVC_NotAuthorized();
        emit AccountStatusCheck(account, own[0]);
    }

    function checkVault(address vault) private {
        bool was = checking;
        checking = true;
        if (IAccountVault(vault).checkVaultStatus() != IAccountVault.checkVaultStatus.selector) revert EVC_NotAuthorized();
        checking = was;
        emit VaultStatusCheck(vault);
    }

    // Internals

    function callAuthenticated(address target, address account, uint256 value, bytes calldata data)
        private
        returns (bytes memory result)
    {
        if (target == address(this)) {
            if (account != address(0)) revert EVC_InvalidAddress();
            bool ok;
            (ok, result) = address(this).delegatecall(data);
            if (!ok) bubble(result);
            return result;
        }
        // A contract that calls itself by way of the connector may name any account.
        if (target != msg.sender) authenticate(account, true);
        return callWithContext(target, account, value, data);
    }

    function callWithContext(address target, address account, uint256 value, bytes calldata data)
        private
        returns (bytes memory result)
    {
        address before = onBehalfOf;
        onBehalfOf = account;
        emit CallWithContext(msg.sender, prefixOf(account), account, target, bytes4(data));
        bool ok;
        (ok, result) = target.call{value: value}(data);
        if (!ok) bubble(result);
        onBehalfOf = before;
    }

    function authenticate(address account, bool allowOperator) private returns (address) {
        bytes19 prefix = prefixOf(account);
        address owner = ownerOf[prefix];
        if ((uint160(account) ^ uint160(msg.sender)) < 256) {
            if (owner == address(0)) {
                ownerOf[prefix] = msg.sender;
                emit OwnerRegistered(prefix, msg.sender);
                return msg.sender;
            }
            if (owner == msg.sender) return owner;
        }
        bool isOperator = owner != address(0)
            && getOperator[prefix][msg.sender] & (1 << (uint160(owner) ^ uint160(account))) != 0;
        if (!allowOperator || !isOperator) revert EVC_NotAuthorized();
        return owner;
    }

    function prefixOf(address account) private pure returns (bytes19) {
        return bytes19(uint152(uint160(account) >> 8));
    }

    /// One more than the index; 0 for what is not there.
    function placeOf(address[] storage list, address element) private view returns (uint256) {
        for (uint256 i = 0; i < list.length; i++) if (list[i] == element) return i + 1;
        return 0;
    }

    function insert(address[] storage list, address element) private returns (bool) {
        if (placeOf(list, element) > 0) return false;
        if (list.length == MOST_ELEMENTS) revert EVC_TooManyElements();
        list.push(element);
        return true;
    }

    function insertUnbound(address[] storage list, address element) private {
        if (placeOf(list, element) == 0) list.push(element);
    }

    /// The last element takes the place of the one that leaves.
    function remove(address[] storage list, address element) private returns (bool) {
        uint256 place = placeOf(list, element);
        if (place == 0) return false;
        list[place - 1] = list[list.length - 1];
        list.pop();
        return true;
    }

    function takeFirst(address[] storage list) private returns (address first) {
        first = list[0];
        for (uint256 i = 1; i < list.length; i++) list[i - 1] = list[i];
        list.pop();
    }

    function bubble(bytes memory reason) private pure {
        assembly {
            revert(add(32, reason), mload(reason))
        }
    }
}
