// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20, IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EulerDebtToken} from "./EulerDebtToken.sol";

interface IConnector {
    function call(address target, address account, uint256 value, bytes calldata data)
        external
        payable
        returns (bytes memory);
    function controlCollateral(address target, address account, uint256 value, bytes calldata data)
        external
        payable
        returns (bytes memory);
    function getCurrentOnBehalfOfAccount(address controller) external view returns (address, bool);
    function getAccountOwner(address account) external view returns (address);
    function getCollaterals(address account) external view returns (address[] memory);
    function getControllers(address account) external view returns (address[] memory);
    function isCollateralEnabled(address account, address vault) external view returns (bool);
    function areChecksInProgress() external view returns (bool);
    function isAccountStatusCheckDeferred(address account) external view returns (bool);
    function requireVaultStatusCheck() external payable;
    function requireAccountAndVaultStatusCheck(address account) external payable;
    function forgiveAccountStatusCheck(address account) external payable;
    function disableController(address account) external payable;
}

interface IOracle {
    function getQuote(uint256 amount, address base, address quote) external view returns (uint256);
    function getQuotes(uint256 amount, address base, address quote) external view returns (uint256, uint256);
}

interface IRateModel {
    function computeInterestRate(address vault, uint256 cash, uint256 borrows) external returns (uint256);
}

/// A lending vault as Euler's kit makes them: shares by ERC-4626 with a virtual deposit, debts kept with 31 bits more, interest
/// compounded by the second, its fee in shares, liquidation by taking over debt at a discount. Without caps, hooks, allowances
/// of Permit2, reward streams and ramps of LTVs.
contract EulerVault {
    using SafeERC20 for IERC20;

    uint256 private constant VIRTUAL = 1e6;
    uint256 private constant SHIFT = 31;
    uint256 private constant RAY = 1e27;
    uint256 private constant SCALE = 1e4;
    uint256 private constant MOST_DISCOUNT = 0.15e18;
    address private constant NO_ACCOUNT = address(0);
    address private constant CALLER = address(1);

    struct Ltv {
        uint16 borrow;
        uint16 liquidation;
        bool known;
    }

    struct Debt {
        uint256 owed;
        uint256 accumulator;
    }

    /// As accrued to this second.
    struct State {
        uint256 shares;
        uint256 borrows;
        uint256 fees;
        uint256 accumulator;
        uint256 time;
    }

    IConnector public immutable EVC;
    IERC20 private immutable token;
    IOracle public immutable oracle;
    address public immutable unitOfAccount;
    address public immutable creator;
    address public immutable dToken;
    string public name;
    string public symbol;

    uint256 public cash;
    State private kept;
    uint256 public interestRate;
    uint256 public interestFee = 0.1e4;
    address public interestRateModel;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => Debt) private debts;
    mapping(address => Ltv) private ltvs;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );
    event VaultStatus(
        uint256 totalShares,
        uint256 totalBorrows,
        uint256 accumulatedFees,
        uint256 cash,
        uint256 interestAccumulator,
        uint256 interestRate,
        uint256 timestamp
    );
    event Borrow(address indexed account, uint256 assets);
    event Repay(address indexed account, uint256 assets);
    event InterestAccrued(address indexed account, uint256 assets);
    event Liquidate(
        address indexed liquidator,
        address indexed violator,
        address collateral,
        uint256 repayAssets,
        uint256 yieldBalance
    );
    event PullDebt(address indexed from, address indexed to, uint256 assets);
    event DebtSocialized(address indexed account, uint256 assets);

    constructor(IConnector evc, address asset_, IOracle oracle_, address unit, address creator_, string memory number) {
        (EVC, token, oracle, unitOfAccount, creator) = (evc, IERC20(asset_), oracle_, unit, creator_);
        symbol = string.concat("e", IERC20Metadata(asset_).symbol(), "-", number);
        name = string.concat("EVK Vault ", symbol);
        dToken = address(new EulerDebtToken());
        kept = State(0, 0, 0, RAY, block.timestamp);
    }

    /// What is not called by the connector is called again by way of it.
    modifier throughConnector() {
        if (msg.sender == address(EVC)) {
            _;
        } else {
            bytes memory result = EVC.call(address(this), msg.sender, 0, msg.data);
            assembly {
                return(add(32, result), mload(result))
            }
        }
    }

    modifier onlyChecks() {
        require(msg.sender == address(EVC) && EVC.areChecksInProgress(), "E_CheckUnauthorized");
        _;
    }

    // Set by the creator

    function setLTV(address collateral, uint16 borrowLtv, uint16 liquidationLtv) external {
        require(msg.sender == creator);
        ltvs[collateral] = Ltv(borrowLtv, liquidationLtv, true);
    }

    function setInterestRateModel(address model) external {
        require(msg.sender == creator);
        accrue();
        interestRateModel = model;
        State memory state = kept;
        retarget(state);
    }

    // Views

    function asset() external view returns (address) {
        return address(token);
    }

    function decimals() external view returns (uint8) {
        return IERC20Metadata(address(token)).decimals();
    }

    function totalSupply() external view returns (uint256) {
        return load().shares;
    }

    function totalAssets() external view returns (uint256) {
        return cash + up(load().borrows);
    }

    function totalBorrows() external view returns (uint256) {
        return up(load().borrows);
    }

    function accumulatedFees() external view returns (uint256) {
        return load().fees;
    }

    function interestAccumulator() external view returns (uint256) {
        return load().accumulator;
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return toAssets(load(), shares);
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        return convertToAssets(shares);
    }

    function convertToShares(uint256 assets) external view returns (uint256) {
        return toShares(load(), assets);
    }

    function maxDeposit(address) external pure returns (uint256) {
        return type(uint112).max;
    }

    /// Of an account without a controller; the kit asks the controller how much of it is used.
    function maxWithdraw(address owner) external view returns (uint256) {
        if (EVC.getControllers(owner).length > 0) return 0;
        State memory state = load();
        uint256 most = balanceOf[owner];
        uint256 free = toShares(state, cash);
        return toAssets(state, most < free ? most : free);
    }

    function debtOf(address account) external view returns (uint256) {
        return up(owedBy(load(), account));
    }

    function debtOfExact(address account) external view returns (uint256) {
        return owedBy(load(), account);
    }

    function LTVLiquidation(address collateral) external view returns (uint16) {
        return ltvs[collateral].liquidation;
    }

    function accountLiquidity(address account, bool liquidation) external view returns (uint256, uint256) {
        requireController(account);
        return liquidityOf(load(), account, EVC.getCollaterals(account), liquidation);
    }

    // ERC-20

    function approve(address spender, uint256 amount) external returns (bool) {
        address account = msg.sender;
        if (msg.sender == address(EVC)) (account,) = EVC.getCurrentOnBehalfOfAccount(address(0));
        allowance[account][spender] = amount;
        emit Approval(account, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external throughConnector returns (bool) {
        (, address account) = begin(CALLER, false);
        return move(account, account, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external throughConnector returns (bool) {
        (, address account) = begin(from, false);
        return move(account, from, to, amount);
    }

    // ERC-4626

    function deposit(uint256 amount, address receiver) external throughConnector returns (uint256 shares) {
        (State memory state, address account) = begin(NO_ACCOUNT, false);
        uint256 assets = amount == type(uint256).max ? token.balanceOf(account) : amount;
        if (assets == 0) return 0;
        shares = toShares(state, assets);
        require(shares > 0, "E_ZeroShares");
        pull(account, assets);
        mint(receiver, account, shares, assets);
    }

    function withdraw(uint256 assets, address receiver, address owner)
        external
        throughConnector
        returns (uint256 shares)
    {
        (State memory state, address account) = begin(owner, false);
        if (assets == 0) return 0;
        (uint256 all, uint256 units) = totals(state);
        shares = (assets * units + all - 1) / all;
        leave(account, receiver, owner, assets, shares);
    }

    function redeem(uint256 amount, address receiver, address owner)
        external
        throughConnector
        returns (uint256 assets)
    {
        (State memory state, address account) = begin(owner, false);
        uint256 shares = amount == type(uint256).max ? balanceOf[owner] : amount;
        if (shares == 0) return 0;
        assets = toAssets(state, shares);
        require(assets > 0, "E_ZeroAssets");
        leave(account, receiver, owner, assets, shares);
    }

    // Debts

    function borrow(uint256 amount, address receiver) external throughConnector returns (uint256 assets) {
        (State memory state, address account) = begin(CALLER, true);
        assets = amount == type(uint256).max ? cash : amount;
        if (assets == 0) return 0;
        require(assets <= cash, "E_InsufficientCash");
        uint256 before = up(debts[account].owed);
        uint256 owed = owedBy(state, account) + (assets << SHIFT);
        setDebt(state, account, owed);
        kept.borrows = state.borrows + (assets << SHIFT);
        logBorrow(account, assets, before, up(owed));
        push(receiver, assets);
    }

    function repay(uint256 amount, address receiver) external throughConnector returns (uint256 assets) {
        (State memory state, address account) = begin(NO_ACCOUNT, false);
        assets = amount == type(uint256).max ? up(owedBy(state, receiver)) : amount;
        if (assets == 0) return 0;
        pull(account, assets);
        lower(state, receiver, assets);
    }

    function repayWithShares(uint256 amount, address receiver)
        external
        throughConnector
        returns (uint256 shares, uint256 assets)
    {
        (State memory state, address account) = begin(CALLER, false);
        uint256 owed = up(owedBy(state, receiver));
        if (owed == 0) return (0, 0);
        (uint256 all, uint256 units) = totals(state);
        shares = balanceOf[account];
        assets = toAssets(state, shares);
        if (amount != type(uint256).max) (assets, shares) = (amount, (amount * units + all - 1) / all);
        if (assets == 0) return (0, 0);
        if (assets > owed) (assets, shares) = (owed, (owed * units + all - 1) / all);
        burn(account, account, account, shares, assets);
        lower(state, receiver, assets);
    }

    function pullDebt(uint256 amount, address from) external throughConnector {
        (State memory state, address account) = begin(CALLER, true);
        require(from != account, "E_SelfTransfer");
        uint256 assets = amount == type(uint256).max ? up(owedBy(state, from)) : amount;
        if (assets == 0) return;
        passDebt(state, from, account, assets);
        emit PullDebt(from, account, assets);
    }

    function disableController() external {
        address account = msg.sender;
        if (msg.sender == address(EVC)) (account,) = EVC.getCurrentOnBehalfOfAccount(address(0));
        require(debts[account].owed == 0, "E_OutstandingDebt");
        EVC.disableController(account);
    }

    function touch() external throughConnector {
        begin(NO_ACCOUNT, false);
    }

    function liquidate(address violator, address collateral, uint256 repayAssets, uint256 minYield)
        external
        throughConnector
    {
        (State memory state, address liquidator) = begin(CALLER, true);
        uint256 owed = up(owedBy(state, violator));
        (uint256 repaid, uint256 yielded) = seizable(state, liquidator, violator, collateral);
        if (repayAssets != type(uint256).max) {
            require(repayAssets <= repaid, "E_ExcessiveRepayAmount");
            if (repaid > 0) (yielded, repaid) = ((repayAssets * yielded) / repaid, repayAssets);
        }
        require(yielded >= minYield, "E_MinYield");
        if (repaid > 0) passDebt(state, violator, liquidator, repaid);
        if (yielded > 0) {
            EVC.controlCollateral(collateral, violator, 0, abi.encodeCall(this.transfer, (liquidator, yielded)));
            EVC.forgiveAccountStatusCheck(violator);
        }
        if (owed > repaid && hasNoCollateral(violator)) {
            uint256 rest = owed - repaid;
            lower(state, violator, rest);
            emit Withdraw(liquidator, address(0), address(0), rest, 0);
            emit DebtSocialized(violator, rest);
        }
        emit Liquidate(liquidator, violator, collateral, repaid, yielded);
    }

    // Checks

    function checkAccountStatus(address account, address[] memory collaterals)
        external
        view
        onlyChecks
        returns (bytes4)
    {
        if (debts[account].owed > 0) {
            (uint256 worth, uint256 liability) = liquidityOf(load(), account, collaterals, false);
            require(worth > liability, "E_AccountLiquidity");
        }
        return this.checkAccountStatus.selector;
    }

    function checkVaultStatus() external onlyChecks returns (bytes4) {
        State memory state = accrue();
        retarget(state);
        emit VaultStatus(
            state.shares, up(state.borrows), state.fees, cash, state.accumulator, interestRate, block.timestamp
        );
        return this.checkVaultStatus.selector;
    }

    // Internals

    function begin(address checked, bool asController) private returns (State memory state, address account) {
        state = accrue();
        bool enabled;
        (account, enabled) = EVC.getCurrentOnBehalfOfAccount(asController ? address(this) : address(0));
        require(enabled || !asController, "E_ControllerDisabled");
        if (checked == NO_ACCOUNT) EVC.requireVaultStatusCheck();
        else EVC.requireAccountAndVaultStatusCheck(checked == CALLER ? account : checked);
    }

    function retarget(State memory state) private {
        if (interestRateModel == address(0)) return;
        interestRate = IRateModel(interestRateModel).computeInterestRate(address(this), cash, up(state.borrows));
    }

    function accrue() private returns (State memory state) {
        state = load();
        kept = state;
    }

    function load() private view returns (State memory state) {
        state = kept;
        uint256 elapsed = block.timestamp - state.time;
        if (elapsed == 0) return state;
        uint256 grown = (state.accumulator * power(interestRate + RAY, elapsed)) / RAY;
        uint256 borrows = (state.borrows * grown) / state.accumulator;
        uint256 feeAssets = ((borrows - state.borrows) * interestFee) / (SCALE << SHIFT);
        if (feeAssets > 0) {
            uint256 all = cash + up(borrows);
            uint256 shares = (all * state.shares) / (all - feeAssets);
            state.fees += shares - state.shares;
            state.shares = shares;
        }
        (state.borrows, state.accumulator, state.time) = (borrows, grown, block.timestamp);
    }

    function totals(State memory state) private view returns (uint256 assets, uint256 shares) {
        return (cash + up(state.borrows) + VIRTUAL, state.shares + VIRTUAL);
    }

    function toAssets(State memory state, uint256 shares) private view returns (uint256) {
        (uint256 all, uint256 units) = totals(state);
        return (shares * all) / units;
    }

    function toShares(State memory state, uint256 assets) private view returns (uint256) {
        (uint256 all, uint256 units) = totals(state);
        return (assets * units) / all;
    }

    function owedBy(State memory state, address account) private view returns (uint256) {
        Debt memory debt = debts[account];
        return debt.owed == 0 ? 0 : (debt.owed * state.accumulator) / debt.accumulator;
    }

    function setDebt(State memory state, address account, uint256 owed) private {
        debts[account] = Debt(owed, state.accumulator);
    }

    function lower(State memory state, address account, uint256 assets) private {
        uint256 before = up(debts[account].owed);
        uint256 exact = owedBy(state, account);
        uint256 owed = up(exact);
        require(assets <= owed, "E_RepayTooMuch");
        uint256 rest = (owed - assets) << SHIFT;
        setDebt(state, account, rest);
        kept.borrows = state.borrows > exact ? state.borrows - exact + rest : rest;
        logRepay(account, assets, before, owed - assets);
    }

    function passDebt(State memory state, address from, address to, uint256 assets) private {
        uint256 amount = assets << SHIFT;
        uint256 before = up(debts[from].owed);
        uint256 left = owedBy(state, from);
        uint256 dust = amount > left ? amount - left : left - amount;
        if (dust < 1 << SHIFT) amount = left;
        require(amount <= left, "E_InsufficientDebt");
        left -= amount;
        setDebt(state, from, left);
        uint256 had = up(debts[to].owed);
        uint256 owed = owedBy(state, to) + amount;
        setDebt(state, to, owed);
        uint256 repaid = before > assets + up(left) ? before - up(left) : assets;
        logRepay(from, repaid, before, up(left));
        uint256 taken = assets + had > up(owed) ? up(owed) - had : assets;
        logBorrow(to, taken, had, up(owed));
    }

    /// `before`: as it was stored, without the interest since.
    function logBorrow(address account, uint256 assets, uint256 before, uint256 owed) private {
        uint256 interest = owed - before - assets;
        if (interest > 0) emit InterestAccrued(account, interest);
        if (assets > 0) emit Borrow(account, assets);
        logDebtToken(account, before, owed);
    }

    function logRepay(address account, uint256 assets, uint256 before, uint256 owed) private {
        uint256 interest = owed + assets - before;
        if (interest > 0) emit InterestAccrued(account, interest);
        if (assets > 0) emit Repay(account, assets);
        logDebtToken(account, before, owed);
    }

    function logDebtToken(address account, uint256 before, uint256 owed) private {
        if (owed > before) EulerDebtToken(dToken).emitTransfer(address(0), account, owed - before);
        else if (owed < before) EulerDebtToken(dToken).emitTransfer(account, address(0), before - owed);
    }

    function move(address account, address from, address to, uint256 amount) private returns (bool) {
        require(from != to && to != address(0), "E_BadSharesReceiver");
        spend(from, account, amount);
        require(balanceOf[from] >= amount, "E_InsufficientBalance");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }

    function spend(address owner, address spender, uint256 amount) private {
        if (amount == 0 || owner == spender || allowance[owner][spender] == type(uint256).max) return;
        require(allowance[owner][spender] >= amount, "E_InsufficientAllowance");
        allowance[owner][spender] -= amount;
    }

    function leave(address account, address receiver, address owner, uint256 assets, uint256 shares) private {
        require(cash >= assets, "E_InsufficientCash");
        spend(owner, account, shares);
        burn(owner, account, receiver, shares, assets);
        push(receiver, assets);
    }

    function mint(address receiver, address sender, uint256 shares, uint256 assets) private {
        require(receiver != address(0), "E_BadSharesReceiver");
        balanceOf[receiver] += shares;
        kept.shares += shares;
        emit Transfer(address(0), receiver, shares);
        emit Deposit(sender, receiver, assets, shares);
    }

    function burn(address owner, address sender, address receiver, uint256 shares, uint256 assets) private {
        require(balanceOf[owner] >= shares, "E_InsufficientBalance");
        balanceOf[owner] -= shares;
        kept.shares -= shares;
        emit Transfer(owner, address(0), shares);
        emit Withdraw(sender, receiver, owner, assets, shares);
    }

    function pull(address from, uint256 assets) private {
        token.safeTransferFrom(from, address(this), assets);
        cash += assets;
    }

    /// Not to a sub-account, which has no key.
    function push(address to, uint256 assets) private {
        address owner = EVC.getAccountOwner(to);
        require(to != address(0) && (owner == address(0) || owner == to), "E_BadAssetReceiver");
        cash -= assets;
        token.safeTransfer(to, assets);
    }

    function requireController(address account) private view {
        address[] memory own = EVC.getControllers(account);
        require(own.length == 1 && own[0] == address(this), "E_NotController");
    }

    function hasNoCollateral(address account) private view returns (bool) {
        address[] memory own = EVC.getCollaterals(account);
        for (uint256 i = 0; i < own.length; i++) {
            if (ltvs[own[i]].known && IERC20(own[i]).balanceOf(account) > 0) return false;
        }
        return true;
    }

    function liquidityOf(State memory state, address account, address[] memory collaterals, bool liquidation)
        private
        view
        returns (uint256 worth, uint256 liability)
    {
        require(address(oracle) != address(0), "E_NoPriceOracle");
        for (uint256 i = 0; i < collaterals.length; i++) {
            uint256 ltv = liquidation ? ltvs[collaterals[i]].liquidation : ltvs[collaterals[i]].borrow;
            uint256 balance = ltv == 0 ? 0 : IERC20(collaterals[i]).balanceOf(account);
            if (balance == 0) continue;
            uint256 value = liquidation
                ? oracle.getQuote(balance, collaterals[i], unitOfAccount)
                : first(oracle.getQuotes, balance, collaterals[i]);
            worth += (value * ltv) / SCALE;
        }
        uint256 owed = up(owedBy(state, account));
        if (owed == 0) return (worth, 0);
        if (address(token) == unitOfAccount) return (worth, owed);
        liability = oracle.getQuote(owed, address(token), unitOfAccount);
        if (!liquidation) (, liability) = oracle.getQuotes(owed, address(token), unitOfAccount);
    }

    function first(
        function(uint256, address, address) external view returns (uint256, uint256) quotes,
        uint256 amount,
        address base
    ) private view returns (uint256 bid) {
        (bid,) = quotes(amount, base, unitOfAccount);
    }

    function seizable(State memory state, address liquidator, address violator, address collateral)
        private
        view
        returns (uint256 repaid, uint256 yielded)
    {
        require(violator != liquidator, "E_SelfLiquidation");
        require(ltvs[collateral].known, "E_BadCollateral");
        requireController(violator);
        require(EVC.isCollateralEnabled(violator, collateral), "E_CollateralDisabled");
        require(!EVC.isAccountStatusCheckDeferred(violator), "E_ViolatorLiquidityDeferred");
        uint256 owed = up(owedBy(state, violator));
        if (owed == 0) return (0, 0);
        (uint256 worth, uint256 liability) = liquidityOf(state, violator, EVC.getCollaterals(violator), true);
        if (worth > liability || liability == 0) return (0, 0);
        uint256 factor = (worth * 1e18) / liability;
        if (factor < 1e18 - MOST_DISCOUNT) factor = 1e18 - MOST_DISCOUNT;
        uint256 balance = IERC20(collateral).balanceOf(violator);
        uint256 value = oracle.getQuote(balance, collateral, unitOfAccount);
        if (value == 0) return (0, balance);
        uint256 mostRepaid = liability;
        uint256 mostYield = (liability * 1e18) / factor;
        if (value < mostYield) (mostRepaid, mostYield) = ((value * factor) / 1e18, value);
        return ((mostRepaid * owed) / liability, (mostYield * balance) / value);
    }

    function up(uint256 owed) private pure returns (uint256) {
        return (owed + (1 << SHIFT) - 1) >> SHIFT;
    }

    /// x to the power of n, both in ray, each product rounded to the nearest.
    function power(uint256 x, uint256 n) private pure returns (uint256 z) {
        z = n % 2 == 0 ? RAY : x;
        for (n /= 2; n > 0; n /= 2) {
            x = (x * x + RAY / 2) / RAY;
            if (n % 2 == 1) z = (z * x + RAY / 2) / RAY;
        }
    }
}
