# bash completion for eds: commands, their actions and options, and the domains of the account.

_eds_options()
{
	case "$1 $2" in
	check\ *) echo --strict ;;
	test\ *) echo --timeout --below --send-from --smtp --mail-from --helo --client-ip ;;
	'domains list' | 'selectors list') echo --search --state --sort --limit --cursor ;;
	'reports list') echo --reporter --from --to --result --limit --cursor ;;
	'domains history' | 'reports reporters' | 'tokens log')
		echo --limit --cursor ;;
	'domains check') echo --strict ;;
	'domains remove' | 'tokens revoke') echo --yes ;;
	'mta-sts set') echo --enabled --mode --mx --max-age --hosted ;;
	'reports sums') echo --by --from --to --class --reporter ;;
	'reports export')
		echo --format --by --from --to --reporter --result --source --disposition --selector --cursor ;;
	'reports selectors') echo --from --to ;;
	'reports sources') echo --from --to --result --class --limit --cursor ;;
	'alerts list' | 'alerts test' | 'alerts deliveries') echo --domain ;;
	'alerts add') echo --domain --event --weekly-summary ;;
	'alerts remove') echo --domain --yes ;;
	'tokens create') echo --access --expires ;;
	esac
	echo --url --token-file --json --help
}

_eds_actions()
{
	case "$1" in
	domains) echo list add show check history remove ;;
	selectors) echo list add check history remove ;;
	mta-sts) echo show set check ;;
	reports) echo list show upload export sums selectors sources reporters ;;
	alerts) echo list add remove test deliveries ;;
	tokens) echo list create revoke log ;;
	api) echo GET POST PATCH DELETE ;;
	esac
}

# Only with a token set, because completion must not ask for one. Names are letters, digits, hyphens and dots.
_eds_domains()
{
	[ -n "$EDS_TOKEN" ] || return
	eds domains list 2>/dev/null | awk 'NR > 1 { print $1 }' | grep -x '[a-z0-9.-]*'
}

_eds()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local group=${COMP_WORDS[1]} action=${COMP_WORDS[2]} choices

	case $before in
	--token-file | --send-from) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
	--enabled | --hosted) choices='yes no' ;;
	--mode) choices='testing enforce none' ;;
	--state)
		choices='ok warning error unknown'
		[ "$group" != selectors ] || choices='active unused revoked invalid unknown'
		;;
	--sort)
		choices='name -name createdAt -createdAt'
		[ "$group" != selectors ] || choices='selector -selector createdAt -createdAt'
		;;
	--event)
		choices='selector-broken selector-recovered key-changed mta-sts-broken mta-sts-recovered
			posture-changed dmarc-weakened mx-uncovered mx-covered certificate-expiring
			certificate-renewed failures-rose failures-fell reports-stopped reports-resumed
			new-source'
		;;
	--domain) choices=$(_eds_domains) ;;
	--format) choices='csv jsonl' ;;
	--by) choices='day source reporter disposition' ;;
	--access) choices='read full' ;;
	*)
		if [[ $word == -* ]]; then
			choices=$(_eds_options "$group" "$action")
		elif ((COMP_CWORD == 1)); then
			choices='check test domains selectors mta-sts reports alerts tokens api help'
		elif ((COMP_CWORD == 2)); then
			choices=$(_eds_actions "$group")
		elif ((COMP_CWORD > 3)) && [[ "$group $action" == 'reports upload' ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
			return
		elif ((COMP_CWORD == 3)) && [[ $group != alerts && $group != tokens && $group != api ]]; then
			choices=$(_eds_domains)
		fi
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}

complete -F _eds eds
